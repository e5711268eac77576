import { evolve } from "../../fold/evolve.ts";
import type { Effect, EffectKind } from "../../model/effects/effects.ts";
import type { EventType, Recorded, RunEventOf } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** A recorded event of one type. */
export type RecordedOf<Type extends EventType> = RunEventOf<Type> &
  Pick<Recorded, "run" | "seq" | "at" | "hash">;

/** Something done outside the journal, of one kind. */
export type EffectOf<Kind extends EffectKind> = Extract<Effect, { kind: Kind }>;

/** What leads from events of some types back to those that they follow from. */
export type Causes = {
  readonly [Type in EventType]?: (
    event: RecordedOf<Type>,
    journal: WhyJournal,
  ) => readonly (Recorded | undefined)[];
};

/** Numbers that only the fold knows, as they were when an event came. */
export interface Counts {
  readonly charged: number;
  readonly checkFails: number;
  readonly sameFailures: number;
  readonly spent: RunState["spent"];
  readonly budget: RunState["budget"];
}

/** A run's events up to the one asked about, and ways to look back from any of them. */
export class WhyJournal {
  readonly events: readonly Recorded[];
  readonly state: RunState;
  readonly #byType = new Map<EventType, Recorded[]>();
  readonly #askedBy = new Map<number, Recorded>();
  readonly #counts = new Map<number, Counts>();
  readonly #stepOf = new Map<string, string>();
  readonly #intended = new Map<string, RecordedOf<"EffectIntended">>();

  constructor(events: readonly Recorded[]) {
    this.events = events;
    let state: RunState | null = null;
    const open = new Map<string, Recorded>();
    for (const event of events) {
      state = evolve(state, event, event);
      this.#note(event, state, open);
    }
    if (state === null) throw new RangeError("a run without events has no state");
    this.state = state;
  }

  #note(event: Recorded, state: RunState, open: Map<string, Recorded>): void {
    const sameType = this.#byType.get(event.type);
    if (sameType === undefined) this.#byType.set(event.type, [event]);
    else sameType.push(event);
    // Requests are answered in the order in which they came: what is decided meanwhile is about the oldest.
    const [oldest] = open.values();
    if (oldest !== undefined) this.#askedBy.set(event.seq, oldest);
    if (event.type === "RequestHeard") open.set(event.data.requestId, event);
    if (event.type === "RequestAnswered") open.delete(event.data.requestId);
    if (event.type === "EffectIntended") this.#intended.set(event.data.key, event);
    if (event.type === "AttemptStarted") this.#stepOf.set(event.data.attempt, event.data.step);
    const step = "step" in event.data ? state.steps[String(event.data.step)] : undefined;
    if (event.type === "StepFailed" || event.type === "RunBlocked")
      this.#counts.set(event.seq, {
        charged: step?.charged ?? 0,
        checkFails: step?.checkFails ?? 0,
        sameFailures: step?.sameFailures ?? 0,
        spent: { ...state.spent },
        budget: state.budget,
      });
  }

  /** The request whose answer an event belongs to; undefined if nobody asked for it. */
  askedBy({ seq }: Recorded): Recorded | undefined {
    return this.#askedBy.get(seq);
  }

  countsAt({ seq }: Recorded): Counts | undefined {
    return this.#counts.get(seq);
  }

  stepOf(attempt: string): string | undefined {
    return this.#stepOf.get(attempt);
  }

  /** What was to be done outside the journal under a key. */
  intended(key: string): RecordedOf<"EffectIntended"> | undefined {
    return this.#intended.get(key);
  }

  /** The newest outcome before an event of something that was done outside the journal. */
  outcomeOf<Kind extends EffectKind>(
    kind: Kind,
    before: { readonly seq: number },
    holds: (effect: EffectOf<Kind>) => boolean = () => true,
  ): RecordedOf<"EffectSettled"> | undefined {
    return this.last("EffectSettled", before, ({ data: { key } }) => {
      const effect = this.#intended.get(key)?.data.effect;
      return effect?.kind === kind && holds(effect as EffectOf<Kind>);
    });
  }

  /** Events of a type before another, newest first. */
  *before<Type extends EventType>(
    type: Type,
    { seq }: { readonly seq: number },
    holds: (event: RecordedOf<Type>) => boolean = () => true,
  ): Generator<RecordedOf<Type>> {
    const found = (this.#byType.get(type) ?? []) as RecordedOf<Type>[];
    for (let at = lastBefore(found, seq); at >= 0; at -= 1) {
      const event = found[at];
      if (event !== undefined && holds(event)) yield event;
    }
  }

  /** The newest event of a type before another. */
  last<Type extends EventType>(
    type: Type,
    before: { readonly seq: number },
    holds?: (event: RecordedOf<Type>) => boolean,
  ): RecordedOf<Type> | undefined {
    const [newest] = this.before(type, before, holds);
    return newest;
  }

  /** The end of the journal, to look back from. */
  get end(): { readonly seq: number } {
    return { seq: Infinity };
  }
}

/** The index of the last event before a place: they are in order. */
function lastBefore(events: readonly { readonly seq: number }[], seq: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? Infinity) < seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export const newestOf = (...found: readonly (Recorded | undefined)[]): Recorded | undefined =>
  found.filter((one) => one !== undefined).sort((a, b) => b.seq - a.seq)[0];

/** The order that the run began with: its settings and its budget are in it. */
export const createdBy = (event: Recorded, journal: WhyJournal): Recorded | undefined =>
  journal.last("RunCreated", event) ?? journal.last("BodyCreated", event);

export const received =
  (...kinds: readonly Signal["kind"][]) =>
  ({ data }: RecordedOf<"SignalsHeard">): boolean =>
    data.signals.some(({ kind }) => kinds.includes(kind));
