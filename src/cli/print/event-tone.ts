import type { EventType, Recorded } from "../../model/events/events.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** How a line is shown where there are colours: what went well or wrong, what needs a look, and book-keeping. */
export type Tone = "good" | "bad" | "care" | "faint" | "plain";

const TONES: Partial<Readonly<Record<EventType, Tone>>> = {
  AlarmRang: "care",
  AttemptPardoned: "care",
  BindingDriftFound: "care",
  BudgetPressed: "care",
  CheckpointTaken: "faint",
  CommitRefused: "bad",
  CrashGuardTripped: "bad",
  DriftFound: "care",
  EffectDelayed: "care",
  EffectSettled: "faint",
  EscalationRaised: "care",
  FilesCarried: "faint",
  FilesDistrusted: "bad",
  GateApproved: "good",
  GatePassed: "good",
  GateRejected: "care",
  GroundPaused: "care",
  LimitPassed: "good",
  LimitReached: "care",
  OverlapFound: "care",
  ProtectedFilesChanged: "bad",
  RemedyTaken: "care",
  RepositoryMoved: "care",
  RunBlocked: "bad",
  RunCompleted: "good",
  RunFailed: "bad",
  RunUnblocked: "good",
  SessionObserved: "faint",
  StepFailed: "bad",
  StepRetryScheduled: "care",
  StepSucceeded: "good",
  SupervisorDied: "bad",
  WorkCommitted: "good",
  WorktreeCreated: "faint",
};

/** Where the same kind of event tells of good and bad. */
function saidTone(event: Recorded): Tone | null {
  if (event.type === "StepChecked") return event.data.verdict === "pass" ? "good" : "bad";
  if (event.type === "RealityChecked") return event.data.verdict === "READY" ? "good" : "care";
  if (event.type === "HealthChanged") return event.data.state === "healthy" ? "good" : "care";
  if (event.type === "AttemptEnded") return event.data.outcome === "succeeded" ? "plain" : "care";
  return null;
}

export const eventTone = (event: Recorded): Tone => saidTone(event) ?? TONES[event.type] ?? "plain";

/** What agents say of themselves is no verdict: only their troubles have a colour. */
export function signalTone(signal: Signal): Tone {
  if (signal.kind === "tool_result") return signal.ok ? "faint" : "care";
  if (signal.kind === "error" || signal.kind === "blocked") return "bad";
  return signal.kind === "rate_limit" || signal.kind === "question" || signal.kind === "permission"
    ? "care"
    : "plain";
}

const CODES: Readonly<Record<Exclude<Tone, "plain">, string>> = {
  good: "32",
  bad: "31",
  care: "33",
  faint: "2",
};

export const painted = (text: string, tone: Tone): string =>
  tone === "plain" ? text : `\u001b[${CODES[tone]}m${text}\u001b[0m`;

export const bold = (text: string): string => `\u001b[1m${text}\u001b[0m`;
