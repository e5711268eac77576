import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { en } from "../../text/en.ts";
import { codeText } from "../../ui/reason-text.ts";
import type { StatusKind } from "../../ui/status-of.ts";

export type Mission = AnswerOf<"getMission">;
export type Workstream = Mission["workstreams"][number];
export type Barrier = Mission["barriers"][number];
export type Repository = Mission["repositories"][number];

const { missions: words } = en;

const MARKS: Readonly<Record<string, StatusKind>> = {
  running: "running",
  accepting: "running",
  blocked: "blocked",
  paused: "paused",
  stopped: "cancelled",
  ready_to_accept: "needs_you",
  ended: "done",
};

type Standing = Pick<Mission, "status" | "autopilotStop">;

/** An autopilot that has stopped leaves a mission open that nobody works on. */
export const missionMark = ({ status, autopilotStop }: Standing): StatusKind =>
  status === "open" && autopilotStop !== null ? "needs_you" : (MARKS[status] ?? "queued");
export const missionWord = ({ status }: Pick<Mission, "status">): string =>
  words.states[status] ?? codeText(status);

const WORK_MARKS: Readonly<Record<string, StatusKind>> = {
  at_work: "running",
  waiting: "needs_you",
  done: "done",
  accepted: "done",
  failed: "failed",
  not_started: "failed",
  cancelled: "cancelled",
  skipped: "cancelled",
};

export const workMark = (status: string): StatusKind => WORK_MARKS[status] ?? "queued";
export const workWord = (status: string): string => words.workStates[status] ?? codeText(status);

const DONE: ReadonlySet<string> = new Set(["done", "accepted", "skipped"]);
/** What needs it may begin. */
export const isThere = (status: string): boolean => status === "done" || status === "accepted";
export const doneText = ({ workstreams }: Pick<Mission, "workstreams">): string =>
  words.done(workstreams.filter(({ status }) => DONE.has(status)).length, workstreams.length);

export const barrierMark = ({ open, text }: Barrier): StatusKind =>
  open ? "done" : text !== null && !text.startsWith("waits for") ? "needs_you" : "queued";
export const barrierWord = ({ open }: Barrier): string => (open ? words.barrierOpen : words.barrierClosed);

/** What opens a barrier, in words. */
export const opensIf = ({ when, conditions, approval }: Barrier): string[] => [
  when === "all" ? words.all : when === "any" ? words.any : words.these([when].flat().join(", ")),
  ...conditions,
  ...(approval ? [words.approval] : []),
];
