import type { EventData, Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { REMEDY_ENDS, REMEDY_WORDS } from "../text/remedy-words.ts";

/** A remedy that was tried on a stuck agent, and what became of it. */
export interface RemedyView {
  readonly step: string;
  readonly remedy: string;
  readonly tryNumber: number;
  readonly text: string;
  /** Null where the window holds only its result. */
  readonly attempt: string | null;
  readonly pattern: string | null;
  readonly cause: string | null;
  readonly takenAt: string | null;
  readonly takenSeq: number | null;
  /** Null while its effect is watched, or where the result is behind the window. */
  readonly outcome: string | null;
  readonly outcomeText: string | null;
  readonly why: string | null;
  readonly endedAt: string | null;
  readonly endedSeq: number | null;
}

type Draft = { -readonly [Key in keyof RemedyView]: RemedyView[Key] };

const keyOf = ({ step, remedy, tryNumber }: Pick<RemedyView, "step" | "remedy" | "tryNumber">): string =>
  `${step} ${remedy} ${String(tryNumber)}`;

/** Remedies of a window of the journal, in the order in which they were taken, each with its result. */
export function remedyList(events: readonly Recorded[]): RemedyView[] {
  const found: Draft[] = [];
  const open = new Map<string, Draft>();
  for (const event of events) {
    if (event.type === "RemedyTaken") {
      const taken = takenOf(event.data);
      Object.assign(taken, { takenAt: isoTime(event.at), takenSeq: event.seq });
      open.set(keyOf(taken), taken);
      found.push(taken);
    }
    if (event.type !== "RemedyJudged") continue;
    const { outcome, why } = event.data;
    const known = open.get(keyOf(event.data));
    const ended = known ?? unknownOf(event.data);
    if (known === undefined) found.push(ended);
    Object.assign(ended, {
      outcome,
      outcomeText: REMEDY_ENDS[outcome],
      why,
      endedAt: isoTime(event.at),
      endedSeq: event.seq,
    });
    open.delete(keyOf(ended));
  }
  return found;
}

const takenOf = (data: EventData<"RemedyTaken">): Draft => ({
  ...unknownOf(data),
  attempt: data.attempt,
  pattern: data.pattern,
  cause: data.cause ?? null,
});

const unknownOf = ({
  step,
  remedy,
  tryNumber,
}: Pick<EventData<"RemedyTaken">, "step" | "remedy" | "tryNumber">): Draft => ({
  step,
  remedy,
  tryNumber,
  text: REMEDY_WORDS[remedy],
  attempt: null,
  pattern: null,
  cause: null,
  takenAt: null,
  takenSeq: null,
  outcome: null,
  outcomeText: null,
  why: null,
  endedAt: null,
  endedSeq: null,
});
