import type { CallDoes } from "./observed.ts";

/** The words of health: what a session's state is called, of what it is stuck, and what it may wait for. */
export const HEALTH_STATES = ["healthy", "degraded", "stuck", "crashed", "waiting"] as const;
export type HealthName = (typeof HEALTH_STATES)[number];

export const PATTERNS = [
  "no_progress",
  "error_loop",
  "tool_loop",
  "monologue",
  "alternation",
  "promise",
  "early_stop",
  "resource_exhaustion",
  "timeout",
] as const;
export type Pattern = (typeof PATTERNS)[number];

export const WAITS = ["person", "permission", "limit", "extension", "tool", "model"] as const;
type WaitFor = (typeof WAITS)[number];

/** What is waited for, since when, and until when as far as that is known. */
export interface Wait {
  readonly for: WaitFor;
  readonly since: number;
  readonly until: number | null;
  readonly what: string;
}

/** A completed pattern; it stands until progress is seen. */
export interface Flag {
  readonly pattern: Pattern;
  readonly at: number;
  readonly confidence: number;
  readonly evidence: readonly string[];
}

export interface OpenCall {
  readonly id: string | null;
  readonly name: string;
  readonly key: string;
  readonly head: string;
  readonly does: CallDoes;
  readonly at: number;
  readonly batch: number;
  readonly limitMs: number | null;
  readonly words: string;
}

/** For each period from one to eight: how many of the latest keys equal the one that many places before. */
export interface Repeats {
  readonly keys: string[];
  readonly runs: number[];
}

/** How often one call has now given the same failure, no matter what was done in between. */
export interface FailingCall {
  readonly call: string;
  alike: string;
  times: number;
  batch: number;
}

/** Degrees that only time confirms: 0 is fine, 1 degraded, 2 stuck. */
export interface Level {
  shown: 0 | 1 | 2;
  /** Since when things have been worse, or better, than what is shown. */
  worseSince: number | null;
  betterSince: number | null;
  at: number;
}

/** All that is remembered of a session for its health: bounded, plain JSON, folded from what was observed. */
export interface HealthState {
  startedAt: number;
  voiceAt: number;
  progressAt: number;
  /** The process, as last seen; null before anybody looked. */
  alive: boolean | null;
  exitCode: number | null;
  ended: boolean;
  open: OpenCall[];
  batch: number;
  resultsSeen: number;
  /** Since when the model is to answer; null while it is not its turn. */
  turnSince: number | null;
  exact: Repeats;
  alike: Repeats;
  edits: Repeats;
  calls: Repeats;
  lastStep: { batch: number; key: string };
  /** Failures in a row: of one call, of calls that begin alike, with one text, with one text and marked, of any kind. */
  failures: {
    call: string;
    callRun: number;
    head: string;
    headRun: number;
    alike: string;
    alikeRun: number;
    marked: number;
    run: number;
    /** Of any kind, those included that nobody marked. */
    reads: number;
  };
  /** The same answer to calls that begin alike. */
  answers: { head: string; exact: string; run: number };
  /** When the last step ended: calls that follow faster than a model can read a result are one act. */
  burstAt: number;
  failing: FailingCall[];
  /** Steps seen before; what is not among them is news. */
  known: string[];
  stale: number;
  stepsSinceWait: number;
  sent: string[];
  said: { alike: string; run: number; inFence: boolean; promises: number; asks: boolean; at: number };
  /** Errors in a row: the same one, and of any kind. */
  errors: { alike: string; run: number; any: number };
  /** Steps that may come once more, because the stream that brought them broke. */
  replay: string[];
  /** How long the model took for each of its latest calls, and since when it has had the next one to make. */
  pace: { from: number | null; gapsMs: number[] };
  /** The last limit that was met, until work is seen again. */
  lastLimit: { until: number | null; text: string; named?: boolean } | null;
  condensed: number;
  /** The latest outcomes, oldest first: `.` for good, `n` for good and new, `x` for failed. */
  outcomes: string;
  contextPct: number | null;
  /** `named`: its end was named by the clock. */
  limit: { since: number; until: number | null; text: string; named?: boolean } | null;
  /** A limit that one of the agent's last texts stated, and how many came after it. */
  limitSaid: { readonly line: string; readonly until: number | null; readonly after: number } | null;
  asks: { id: string; what: "permission" | "person"; at: number; text?: string; callId?: string }[];
  extendedTo: number | null;
  screen: { key: string; same: number; atPrompt: boolean; changedAt: number } | null;
  level: Level;
  flag: Flag | null;
}

/** The last word about a session's health; it changes only with what it says. */
export interface Assessed {
  readonly state: HealthName;
  readonly pattern: Pattern | null;
  readonly evidence: readonly string[];
  readonly confidence: number;
  readonly waitsFor: WaitFor | null;
  readonly until: number | null;
  readonly since: number;
}
