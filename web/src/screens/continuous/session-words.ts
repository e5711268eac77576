import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { en } from "../../text/en.ts";
import { codeText } from "../../ui/reason-text.ts";
import type { StatusKind } from "../../ui/status-of.ts";

export type Session = AnswerOf<"listContinuous">["sessions"][number];
export type SessionInFull = AnswerOf<"getContinuous">;
export type Goal = SessionInFull["goals"][number];

const MARKS: Readonly<Record<string, StatusKind>> = {
  running: "running",
  idle: "waiting",
  paused: "paused",
  blocked: "blocked",
  stopped: "cancelled",
};

export const sessionMark = ({ status, end }: Pick<Session, "status" | "end">): StatusKind =>
  status === "ended"
    ? end === "completed" || end === "idle"
      ? "done"
      : "failed"
    : (MARKS[status] ?? "queued");

/** `running`, or how it ended: `goal failed`. */
export const sessionWord = ({ status, end }: Pick<Session, "status" | "end">): string =>
  end === null ? (en.continuous.states[status] ?? status) : codeText(end);

const GOAL_MARKS: Readonly<Record<string, StatusKind>> = {
  queued: "queued",
  at_work: "running",
  waiting: "needs_you",
  done: "done",
  failed: "failed",
  ghost_retry_exhausted: "failed",
};

export const goalMark = (status: string): StatusKind => GOAL_MARKS[status] ?? "cancelled";
export const goalWord = (status: string): string => en.continuous.goalStates[status] ?? codeText(status);

/** `3 queued · 1 at work · 2 done`. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${String(count)} ${goalWord(status)}`)
    .join(" · ");
