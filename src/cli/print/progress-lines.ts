import type { EventType, Recorded } from "../../model/events/events.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { describeSignal } from "../../views/text/describe-signal.ts";
import { eventTone, signalTone, type Tone } from "./event-tone.ts";

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
  const isUsual =
    (event.type === "EffectSettled" &&
      event.data.outcome.kind === "done" &&
      event.data.outcome.sandbox === undefined) ||
    (event.type === "RunClaimed" && event.data.from === "nobody") ||
    (event.type === "CommitWanted" && event.data.by === "holdfast") ||
    (event.type === "FilesTrusted" && event.data.by === "holdfast");
  return isUsual ? [] : [{ text: describeEvent(event), step: stepOf(event.data), tone: eventTone(event) }];
}

function signalLines(attempt: string, signals: readonly Signal[]): ProgressLine[] {
  const telling = signals.filter(
    ({ kind }) => kind !== "ready" && kind !== "speaking" && kind !== "usage" && kind !== "context",
  );
  const left = telling.length - SIGNALS_SHOWN_MAX;
  const step = stepOf({ attempt });
  const lines = telling.slice(-SIGNALS_SHOWN_MAX).map((signal) => ({
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
