import type { Spent } from "../requests/budget.ts";
import type { DayUsed } from "../host/store-resource.ts";
import type { Notice } from "../settings/notice.ts";
import type { RunStatus } from "../state/run-status.ts";
import type { ContinuousEndKind, Ghost, GoalEndKind, RunWaits } from "./continuous-events.ts";
import type { ContinuousSpec, Goal, Spending } from "./continuous-spec.ts";

/** One run that a goal was given to. */
export interface GoalRun {
  readonly run: string;
  /** What it may spend of the session's budget; an absent kind is not limited there. */
  allowance: Spending;
  /** Null before it was first seen: it may not exist yet. */
  status: RunStatus | null;
  spent: Spent;
  days: readonly DayUsed[];
  waits: RunWaits | null;
  ghost: Ghost | null;
  failure: string | null;
  seenAt: number;
  /** What it was last asked by the session, and the event that says so. */
  asked: { readonly what: "pause" | "resume" | "cancel"; readonly seq: number } | null;
}

export interface GoalState {
  readonly goal: Goal;
  /** Whether its run chooses the next goals, and does none itself. */
  readonly isPlan: boolean;
  /** The place in which it was read. */
  readonly order: number;
  status: "queued" | "issued" | "ended";
  /** Not issued again before. */
  notBefore: number;
  /** The last one is the current one while the goal is issued. */
  readonly runs: GoalRun[];
  readonly ghosts: Ghost[];
  end: { readonly kind: GoalEndKind; readonly text: string; readonly at: number } | null;
}

interface ContinuousPause {
  readonly why: "operator" | "blocked";
  readonly by: string | null;
  /** The run that blocks it. */
  readonly run: string | null;
  readonly at: number;
}

/** The fold over a session's events. */
export interface ContinuousState {
  readonly name: string;
  seq: number;
  at: number;
  /** Null before it was begun. */
  spec: ContinuousSpec | null;
  begunAt: number;
  by: string;
  readonly goals: Record<string, GoalState>;
  /** Goals that come again and again, by id, and when each was last due; null before its first time. */
  readonly triggers: Record<string, { readonly goal: Goal; lastDueAt: number | null; last: string | null }>;
  pause: ContinuousPause | null;
  stop: { readonly by: string; readonly at: number; readonly seq: number } | null;
  end: {
    readonly kind: ContinuousEndKind;
    readonly text: string;
    readonly left: readonly string[];
    readonly at: number;
  } | null;
  intake: {
    /** Null before the first reading. */
    readAt: number | null;
    /** Readings in a row that found nothing while there was nothing to do. */
    idleRounds: number;
    problems: readonly string[];
  };
  /** How often a planner was asked, and by what evidence last. */
  plan: { readonly count: number; readonly evidence: string | null };
  /** The day that the next digest is about, null before the first; what it is made from; and what is still to be sent. */
  readonly digest: {
    day: string | null;
    at: number;
    open: { readonly notice: Notice; readonly channel: string; tries: number; notBefore: number }[];
    /** Channels that have not taken the last one, and why. */
    undelivered: { readonly channel: string; readonly text: string }[];
  };
  /** Requests that came under an id, so that each is done once; the last of them. */
  readonly requests: string[];
  /** When a goal was last issued, returned or ended. */
  movedAt: number;
  runs: number;
  /** Of the present day: runs issued, and time at work. */
  today: { day: string; runs: number; timeMs: number };
}
