import type { Blocked } from "./blocked.ts";
import type { BodyState } from "./body-state.ts";
import type { Effect } from "./effects.ts";
import type { Failure } from "./failure.ts";
import type { AgentSpec, Budget, Flow, Step } from "./flow.ts";
import type { RunRequest } from "./requests.ts";
import type { RunStatus, StopKind } from "./run-status.ts";
import type { RunSettings } from "./settings.ts";
import type { ExitSignal, ResultSignal } from "./signals.ts";

export type StepStatus = "pending" | "running" | "succeeded" | "failed";

export interface StepState {
  readonly spec: Step;
  status: StepStatus;
  /** How many of its needs have not yet succeeded. */
  needsLeft: number;
  /** Attempts ever started: the next one's number is this plus one. */
  started: number;
  /** Attempts that count against the step's cap since it was last reset. */
  charged: number;
  /** Waiting out a backoff until then. */
  notBefore: number | null;
  live: string | null;
  lastFailure: Failure | null;
  result: unknown;
}

/** States move only forward: booting → working → ended (and then the attempt leaves the state). */
export interface AttemptState {
  readonly id: string;
  readonly step: string;
  readonly number: number;
  readonly agent: string;
  readonly session: string;
  readonly startedAt: number;
  /** Since when its present owner has listened. */
  watchedSince: number;
  /** When a later owner took it over; null while the first one has it. */
  adoptedAt: number | null;
  phase: "booting" | "working";
  /** When the agent was last heard; null before its first signal. */
  heardAt: number | null;
  /** Where reading its spool goes on. */
  cursor: string;
  started: boolean;
  startFailure: { text: string; terminal: boolean } | null;
  /** Why Holdfast is ending the session, if it is. */
  ending: "paused" | "cancelled" | "timed_out" | "stalled" | "start_failed" | null;
  /** Tries at ending it; part of the effect's key. */
  endTries: number;
  endTriesMax: number;
  /** When the driver said that nothing of it is left. */
  endedAt: number | null;
  endFailure: string | null;
  claim: ResultSignal | null;
  exit: ExitSignal | null;
  lastError: { text: string; terminal: boolean } | null;
  /** Set when a new owner looked for the session. */
  finding: "alive" | "gone" | "unknown" | null;
}

export interface OpenRequest {
  readonly id: string;
  readonly request: RunRequest;
  readonly by: string;
}

/** The fold over a run's events. Owned by whoever folds; `evolve` changes it in place. Plain JSON, so a snapshot is its text. */
export interface RunState {
  readonly run: string;
  seq: number;
  at: number;
  createdAt: number;
  goal: string;
  flow: Flow;
  agents: Record<string, AgentSpec>;
  settings: RunSettings;
  budget: Budget;
  cwd: string;
  status: RunStatus;
  /** Why the run is at rest, or on its way there. */
  stop: StopKind | null;
  stoppingTo: "paused" | "cancelled" | null;
  /** The owner's epoch when the run came to rest. */
  pausedInEpoch: number;
  blocked: Blocked | null;
  failure: Failure | null;
  /** What a failed run failed of. */
  failedStep: string | null;
  result: unknown;
  epoch: number;
  steps: Record<string, StepState>;
  /** Pending steps whose needs are met. */
  ready: Record<string, true>;
  /** Who waits for a step. */
  dependents: Record<string, string[]>;
  stepsLeft: number;
  failedSteps: number;
  attempts: Record<string, AttemptState>;
  /** Intended and not yet settled. */
  effects: Record<string, Effect>;
  requests: OpenRequest[];
  /** Totals over all attempts. */
  spent: { usd: number; tokens: number };
  /** Set for a run whose body is a function of the embedding program. */
  body: BodyState | null;
}
