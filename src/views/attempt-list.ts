import type { Recorded } from "../model/events/events.ts";
import { isoTime } from "../model/text/iso-time.ts";
import type { RunState } from "../model/state/run-state.ts";
import type { Signal } from "../model/agent/signals.ts";
import { transcriptLines } from "./runs/transcript.ts";

/** One attempt as a window of the journal shows it. */
export interface AttemptView {
  readonly attempt: string;
  readonly step: string;
  readonly agent: string | null;
  readonly session: string | null;
  /** Null: it began before the window. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly why: string | null;
  readonly charged: boolean | null;
}

type Draft = { -readonly [Key in keyof AttemptView]: AttemptView[Key] };

const stepOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf("#"));

/** Attempts that began or ended in the window, and with `state` those that are at work now. */
export function attemptList(events: readonly Recorded[], state: RunState | null): AttemptView[] {
  const found = new Map<string, Draft>();
  const of = (attempt: string): Draft => {
    const known = found.get(attempt) ?? { ...NOTHING_KNOWN, attempt, step: stepOf(attempt) };
    found.set(attempt, known);
    return known;
  };
  for (const { id, step, agent, session, startedAt } of Object.values(state?.attempts ?? {}))
    Object.assign(of(id), { step, agent, session, startedAt: isoTime(startedAt) });
  for (const event of events) {
    if (event.type === "AttemptStarted") {
      const { attempt, step, agent, session } = event.data;
      Object.assign(of(attempt), { step, agent, session, startedAt: isoTime(event.at) });
    }
    if (event.type === "AttemptEnded") {
      const { attempt, outcome, why, charged } = event.data;
      Object.assign(of(attempt), { endedAt: isoTime(event.at), outcome, why, charged });
    }
  }
  return [...found.values()];
}

const NOTHING_KNOWN = {
  agent: null,
  session: null,
  startedAt: null,
  endedAt: null,
  outcome: null,
  why: null,
  charged: null,
} as const;

/** What was said and done in a window of the journal, for reading. */
export interface TranscriptEntry {
  readonly at: string;
  readonly seq: number;
  readonly attempt: string;
  readonly kind: Signal["kind"];
  /** Of words: whose they are. */
  readonly from: string | null;
  readonly lines: readonly string[];
}

const LINES_MAX = 200;

export function transcriptOf(events: readonly Recorded[], attempt: string | null): TranscriptEntry[] {
  return events.flatMap((event) =>
    event.type !== "SignalsHeard" || (attempt !== null && event.data.attempt !== attempt)
      ? []
      : event.data.signals.flatMap((signal): TranscriptEntry[] => {
          const lines = transcriptLines(signal).slice(0, LINES_MAX);
          const from = signal.kind === "message" ? signal.from : null;
          if (lines.length === 0) return [];
          return [
            {
              at: isoTime(event.at),
              seq: event.seq,
              attempt: event.data.attempt,
              kind: signal.kind,
              from,
              lines,
            },
          ];
        }),
  );
}
