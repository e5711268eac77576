import { pendingDeadline } from "../../decide/dispatch/deadlines.ts";
import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { Placement } from "../../model/host/placement.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded, isWorking, type RunStatus } from "../../model/state/run-status.ts";
import type { Restarts, SeenOwner, Supervision } from "../../model/host/supervision.ts";
import { placementText } from "../fleet/placement-text.ts";
import type { StatusOwner, StatusSupervision } from "./status-supervision.ts";
import type { StatusView } from "./status.ts";

/** What is asked about: as much of a run as its listing shows, and more where its state was read. */
export interface SupervisedRun {
  readonly run: string;
  readonly status: RunStatus;
  readonly due: { readonly at: number; readonly what: string } | null;
  /** The workflow function of a library's run; undefined for runs of agents, null where it has no name. */
  readonly body?: string | null;
  /** Which hosts may work it. */
  readonly placement?: Placement | undefined;
}

export interface Looked {
  readonly seen: Supervision;
  readonly now: number;
  /** How far away a deadline may be for a background supervisor to wait for it. */
  readonly stayForMs: number;
  readonly store: string | null;
}

export const ageText = (ms: number): string => {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${String(minutes)} min` : `${String(Math.round(minutes / 60))} h`;
};

const processText = ({ pid, host }: SeenOwner): string => `pid ${String(pid)} on ${host}`;

const beatText = ({ beatAgeMs }: SeenOwner): string =>
  beatAgeMs === null ? "" : `, last sign of life ${ageText(beatAgeMs)} ago`;

const dueText = (due: NonNullable<SupervisedRun["due"]>): string => `${due.what} (${isoTime(due.at)})`;

/** Null for an ended run that has nothing left to do. */
export function supervisionOf(run: SupervisedRun, looked: Looked): StatusSupervision | null {
  const { owner, watcher } = looked.seen;
  const due = run.due === null ? null : { at: isoTime(run.due.at), what: run.due.what };
  if (owner !== null)
    return {
      state: "owned",
      text: `supervised by ${processText(owner)}${beatText(owner)}`,
      command: null,
      due,
    };
  if (isEnded(run.status) && due === null) return null;
  const waits = run.status === "queued" ? placementText(run.placement, looked.seen.hosts) : null;
  if (waits !== null)
    return { state: "watched", text: waits, command: commandText(["hosts"], looked.store), due };
  if (run.body === undefined && watcher !== null)
    return { state: "watched", text: watchedText(run, watcher), command: null, due };
  return { state: "none", text: noneText(run, looked), command: commandFor(run, looked), due };
}

function watchedText({ status, due }: SupervisedRun, watcher: SeenOwner): string {
  const who = `the supervisor ${processText(watcher)}`;
  if (isWorking(status)) return `${who} takes it as soon as it can`;
  return due === null ? `${who} watches it; nothing is due` : `${who} watches it; due: ${dueText(due)}`;
}

/** Why nobody supervises it just now. */
export const restartsText = ({ inARow, nextAt }: Restarts): string =>
  `supervisors ended soon after their start ${String(inARow)} times in a row` +
  (nextAt === null ? "" : `; the next is started at ${isoTime(nextAt)}`);

function noneText(supervised: SupervisedRun, looked: Looked): string {
  const { restarts } = looked.seen;
  const text = unsupervisedText(supervised, looked);
  return restarts === undefined || supervised.body !== undefined
    ? text
    : `${text}; ${restartsText(restarts)}`;
}

function unsupervisedText({ run, status, due, body }: SupervisedRun, { seen: { lost } }: Looked): string {
  const gone = lost === null ? "" : ` (${processText(lost)} is gone${beatText(lost)})`;
  if (body !== undefined && isWorking(status)) return `not supervised${gone}: ${programText(run, body)}`;
  if (isWorking(status)) return `not supervised${gone}: nobody notices what becomes of it`;
  if (due !== null) return `not supervised${gone}; due: ${dueText(due)}`;
  return `not supervised${gone}; nothing is due`;
}

const programText = (run: string, body: string | null): string =>
  `it goes on when its program opens this store and calls hf.run("${run}", …)` +
  (body === null ? "" : ` or hf.resumeAll() with "${body}" defined`);

function commandFor({ status, due, body }: SupervisedRun, { now, stayForMs, store }: Looked): string | null {
  if (body !== undefined || (due === null && !isWorking(status))) return null;
  const isFar = due !== null && !isWorking(status) && due.at - now > stayForMs;
  return commandText(["up", isFar ? "--install" : "--detach"], store);
}

export const supervisedRun = (state: Readonly<RunState>, now: number): SupervisedRun => ({
  run: state.run,
  status: state.status,
  placement: state.placement,
  due: state.kind === "supervised" ? pendingDeadline(state, now) : null,
  ...(state.kind === "supervised" ? {} : { body: state.program.name }),
});

/** A status with who supervises the run. Nobody knows how a run is that works and has no owner: its health is old. */
export function withSupervision(view: StatusView, state: RunState, looked: Looked): StatusView {
  const { owner } = looked.seen;
  const supervision = supervisionOf(supervisedRun(state, looked.now), looked);
  const known = { ...view, owner: ownerView(state, owner), supervision };
  if (owner !== null || state.status !== "running") return known;
  const { state: last, pattern } = view.health;
  const ageMs = Math.max(0, looked.now - state.at);
  const said = `last known: ${last}${pattern === null ? "" : ` (${pattern})`}, ${ageText(ageMs)} ago`;
  const health = {
    ...view.health,
    state: "unknown",
    pattern: null,
    evidence: [said, ...view.health.evidence],
    lastKnown: { state: last, pattern, at: isoTime(state.at) },
  };
  return { ...known, health, next: view.next ?? supervision?.command ?? null };
}

function ownerView(state: RunState, owner: Supervision["owner"]): StatusOwner | null {
  if (owner === null) return null;
  const { host, pid, beatAgeMs, epoch, startedAt } = owner;
  const since = epoch === state.epoch ? (state.claim.at ?? startedAt) : startedAt;
  return { host, pid, since: since === null ? null : isoTime(since), beatAgeMs };
}
