import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { openQuestions } from "../status/open-questions.ts";
import { isUnverified } from "../status/status-gates.ts";
import { statusView, type StatusView } from "../status/status.ts";
import { supervisedRun, supervisionOf, withSupervision, type Looked } from "../status/supervision.ts";

/** How runs are grouped for somebody who watches them all, most urgent first. */
export const WATCH_GROUPS = ["needs_you", "working", "waiting", "done"] as const;
export type WatchGroup = (typeof WATCH_GROUPS)[number];

/** Of what is done, the newest is enough. */
export const DONE_MAX = 10;

export interface WatchEntry {
  readonly run: string;
  readonly goal: string;
  readonly status: string;
  readonly group: WatchGroup;
  readonly health: string;
  /** Where it stands, in words. */
  readonly what: string;
  /** When it goes on by itself, where that is known. */
  readonly until: string | null;
  /** What a person can do about it; null where nothing needs doing. */
  readonly command: string | null;
  readonly steps: { readonly done: number; readonly of: number };
  /** Of the step that it is at; null where there is none. */
  readonly agent: string | null;
  readonly since: string;
}

/** A run that has ended is reported without being read. */
export const endedEntry = (listing: {
  readonly run: string;
  readonly goal: string;
  readonly status: RunStatus;
  readonly updatedAt: number;
}): WatchEntry => ({
  run: listing.run,
  goal: listing.goal,
  status: listing.status,
  group: "done",
  health: listing.status === "failed" ? "crashed" : "healthy",
  what: listing.status,
  until: null,
  command: null,
  steps: { done: 0, of: 0 },
  agent: null,
  since: isoTime(listing.updatedAt),
});

export function watchEntry(state: RunState, store: string | null, now: number): WatchEntry {
  const entry = entryOf(statusView(state, store, now), laterOf(state, now));
  const [question] = openQuestions(state, store);
  if (question === undefined) return entry;
  const { attempt, text, command } = question;
  return { ...entry, group: "needs_you", what: `${attempt} asks: ${text}`, until: null, command };
}

/** A run that works or has a deadline and nobody who acts needs somebody: its health is not known. */
export function supervisedEntry(state: RunState, looked: Looked): WatchEntry {
  const entry = watchEntry(state, looked.store, looked.now);
  const supervision = supervisionOf(supervisedRun(state, looked.now), looked);
  const { health } = withSupervision(statusView(state, looked.store, looked.now), state, looked);
  if (supervision?.state !== "none" || supervision.command === null)
    return { ...entry, health: health.state };
  const { text, command } = supervision;
  const what = entry.group === "needs_you" ? `${entry.what} · not supervised (${command})` : text;
  return {
    ...entry,
    health: health.state,
    group: "needs_you",
    what,
    until: null,
    command: entry.command ?? command,
  };
}

/** A run that cannot be read needs somebody. */
export function entryOf(view: StatusView, later: Later | null = null): WatchEntry {
  const place = placeOf(view, later);
  return {
    run: view.run,
    goal: view.goal,
    status: view.status,
    health: view.health.state,
    steps: {
      done: view.steps.filter(({ status }) => status === "succeeded").length,
      of: view.steps.length,
    },
    agent: view.steps.find(({ name }) => name === view.step)?.agent ?? null,
    since: place.group === "needs_you" ? (view.escalations[0]?.since ?? view.updatedAt) : view.updatedAt,
    ...place,
    command: place.group === "needs_you" ? view.next : null,
  };
}

/** Something that happens by itself at a known time. */
interface Later {
  readonly what: string;
  readonly at: number;
}

function laterOf({ status, attempts, steps }: RunState, now: number): Later | null {
  if (status !== "running" || Object.keys(attempts).length > 0) return null;
  const next = Object.values(steps)
    .flatMap(({ spec, notBefore, limit }) =>
      notBefore !== null && notBefore > now
        ? [{ what: limit ?? `step ${spec.name} is tried again`, at: notBefore }]
        : [],
    )
    .sort((one, other) => one.at - other.at);
  return next[0] ?? null;
}

type Place = Pick<WatchEntry, "group" | "what" | "until">;

function placeOf(view: StatusView, later: Later | null): Place {
  const { status, stop, blocked, health } = view;
  if (blocked !== null)
    return { group: "needs_you", what: `${blocked.reason}: ${blocked.detail}`, until: null };
  switch (status) {
    case "completed":
      return { group: "done", what: isUnverified(view) ? "completed, unverified" : status, until: null };
    case "failed":
    case "cancelled":
      return { group: "done", what: status, until: null };
    case "pausing":
      return { group: "working", what: "ends its sessions", until: null };
    case "queued":
      return { group: "waiting", what: "for a supervisor", until: null };
    case "paused":
      return pausedPlace(stop, health);
    default:
      return workingPlace(view, later);
  }
}

function pausedPlace(stop: string | null, health: StatusView["health"]): Place {
  const until = health.until ?? null;
  if (until !== null) return { group: "waiting", what: "the provider is silent; it is tried again", until };
  if (stop === "shutdown" || stop === "supervisor_restart")
    return { group: "waiting", what: "for the next supervisor", until };
  return { group: "needs_you", what: `paused (${stop ?? "operator"})`, until };
}

function workingPlace({ health, step, attempt, status }: StatusView, later: Later | null): Place {
  if (later !== null) return { group: "waiting", what: later.what, until: isoTime(later.at) };
  if (health.state === "waiting")
    return {
      group: "waiting",
      what:
        health.evidence.find((line) => line.startsWith("waits for")) ??
        `waits for ${health.waitsFor ?? "somebody"}`,
      until: health.until ?? null,
    };
  const at = step === null ? status : `${step}${attempt === null ? "" : ` #${String(attempt)}`}`;
  const worst = health.evidence.find((line) => line.includes("remedies:")) ?? health.evidence.at(-1) ?? "";
  const trouble = health.state === "healthy" ? "" : ` (${health.pattern ?? "unclear"}): ${worst}`;
  return { group: "working", what: `${at} ${health.state}${trouble}`, until: null };
}
