import type { Signal } from "../../model/agent/signals.ts";
import type { EventType, Recorded } from "../../model/events/events.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { describeSignal } from "../../views/text/describe-signal.ts";

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

/** Where the same kind of event reports good and bad. */
function saidTone(event: Recorded): Tone | null {
  if (event.type === "StepChecked") return event.data.verdict === "pass" ? "good" : "bad";
  if (event.type === "RealityChecked") return event.data.verdict === "READY" ? "good" : "care";
  if (event.type === "HealthChanged") return event.data.state === "healthy" ? "good" : "care";
  if (event.type === "AttemptEnded") return event.data.outcome === "succeeded" ? "plain" : "care";
  return null;
}

const eventTone = (event: Recorded): Tone => saidTone(event) ?? TONES[event.type] ?? "plain";

/** What agents say of themselves is no verdict: only their troubles have a colour. */
function signalTone(signal: Signal): Tone {
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

const SIGNALS_SHOWN_MAX = 20;

/** What is only book-keeping is not shown to a person who watches a run. */
const NOT_SHOWN: ReadonlySet<EventType> = new Set([
  "EffectIntended",
  "RunStarted",
  "BodyStepIntended",
  "BodyDrew",
  "BodySpent",
  "NoticeQueued",
  "GateAsked",
  "CopyDropped",
  "WorkspaceHeld",
  "WorkspaceFreed",
  "BaseNoted",
  "ProtectedFilesStirred",
]);

/** A line, the step that it is about (null: the run as a whole), and how it is shown where there are colours. */
export interface ProgressLine {
  readonly text: string;
  readonly step: string | null;
  readonly tone: Tone;
}

/** What a person who watches a run sees of an event. */
export const progressLines = (event: Recorded): string[] => describedLines(event).map(({ text }) => text);

export function describedLines(event: Recorded): ProgressLine[] {
  if (NOT_SHOWN.has(event.type)) return [];
  if (event.type === "SignalsHeard") return signalLines(event.data.attempt, event.data.signals);
  const isRoutine =
    (event.type === "EffectSettled" &&
      event.data.outcome.kind === "done" &&
      event.data.outcome.sandbox === undefined) ||
    (event.type === "RunClaimed" && event.data.from === "nobody") ||
    (event.type === "CommitWanted" && event.data.by === "holdfast") ||
    (event.type === "FilesTrusted" && event.data.by === "holdfast");
  return isRoutine ? [] : [{ text: describeEvent(event), step: stepOf(event.data), tone: eventTone(event) }];
}

function signalLines(attempt: string, signals: readonly Signal[]): ProgressLine[] {
  const shown = signals.filter(
    ({ kind }) => kind !== "ready" && kind !== "speaking" && kind !== "usage" && kind !== "context",
  );
  const left = shown.length - SIGNALS_SHOWN_MAX;
  const step = stepOf({ attempt });
  const lines = shown.slice(-SIGNALS_SHOWN_MAX).map((signal) => ({
    text: `${attempt}: ${describeSignal(signal)}`,
    step,
    tone: signalTone(signal),
  }));
  const text = `${attempt}: ${String(left)} more signals before these`;
  return left > 0 ? [{ text, step, tone: "faint" }, ...lines] : lines;
}

/** Attempts are named after their step: `build#2`. */
function stepOf(data: object): string | null {
  if ("step" in data && typeof data.step === "string") return data.step;
  return "attempt" in data && typeof data.attempt === "string" ? data.attempt.replace(/#\d+$/, "") : null;
}
