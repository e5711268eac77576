import { evolve } from "../../fold/evolve.ts";
import { FOLD_VERSION } from "../../fold/fold-version.ts";
import type { Journal } from "../../journal/journal.ts";
import { mayStayApart, withPlaces, type ApartPlace } from "../../model/state/bound-tree.ts";
import { ClockWatch } from "../../model/host/clock-watch.ts";
import type { EventType, RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import { roughBytes } from "../../model/values/rough-bytes.ts";
import type { ProgramRun } from "../../model/state/run-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import type { World } from "../../model/world.ts";
import { SnapshotRule, type ReadSoFar } from "./snapshot-rule.ts";

const NOTHING: readonly string[] = [];

/** What is to be appended, as assessed by the state at the moment of the append; nothing, if there are no events. */
export interface Decided {
  readonly events: readonly RunEvent[];
  readonly consumed?: readonly string[];
}

interface Waiting {
  readonly events: readonly RunEvent[];
  readonly consumed: readonly string[];
  readonly decide: (() => Decided) | null;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The one that looks again after every append. An object, whose method is the same in every life, and no function. */
export interface Reader {
  appended(): void;
}

/** A run as it was read by the life that begins. */
export interface ClaimedRun extends ReadSoFar {
  readonly state: ProgramRun;
  readonly epoch: number;
}

/**
 * The journal of one workflow function, and the state folded from it.
 *
 * At most one append is under way. What is committed meanwhile waits and goes into the next one together; what is
 * merely noted (drawn times, logs, spending) travels with the next commit, before it: if it is lost, nothing that
 * could depend on it was committed either. The state is what the journal holds, never ahead of it.
 *
 * What depends on the state is assessed at its turn, and is an append of its own: by then everything that was committed
 * before it is folded, and nothing comes in between.
 */
export class ProgramJournal {
  readonly state: ProgramRun;
  readonly #journal: Journal;
  readonly #world: World;
  readonly #epoch: number;
  readonly #reader: Reader;
  #noted: RunEvent[] = [];
  #waiting: Waiting[] = [];
  #busy = false;
  #broken: Error | null = null;
  readonly #snapshots: SnapshotRule;
  readonly #clock: ClockWatch;

  constructor(
    ports: { readonly journal: Journal; readonly world: World },
    claimed: ClaimedRun,
    reader: Reader,
  ) {
    this.#journal = ports.journal;
    this.#world = ports.world;
    this.state = claimed.state;
    this.#epoch = claimed.epoch;
    this.#snapshots = new SnapshotRule(claimed);
    this.#clock = new ClockWatch(ports.world, claimed.state.clockRead);
    this.#reader = reader;
  }

  /** Travels with the next commit. */
  note(event: RunEvent): void {
    this.#noted.push(event);
  }

  /** Resolves when the events, and all that was noted before, are on disk and folded. */
  commit(events: readonly RunEvent[], consumed: readonly string[] = NOTHING): Promise<void> {
    if (this.#broken !== null) return Promise.reject(this.#broken);
    const all = this.#withNoted(events);
    if (!this.#busy) return this.#commitAlone(all, consumed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events: all, consumed, decide: null, resolve, reject });
    });
  }

  /** Resolves when what was assessed at its turn is on disk and folded. */
  async commitDecided(decide: () => Decided): Promise<void> {
    if (this.#broken !== null) throw this.#broken;
    if (this.#busy) {
      const events = this.#withNoted([]);
      return new Promise((resolve, reject) => {
        this.#waiting.push({ events, consumed: NOTHING, decide, resolve, reject });
      });
    }
    const { events, consumed } = decide();
    if (events.length > 0) await this.commit(events, consumed);
  }

  #withNoted(events: readonly RunEvent[]): readonly RunEvent[] {
    const noted = this.#noted;
    if (noted.length === 0) return events;
    this.#noted = [];
    return [...noted, ...events];
  }

  /** Why nothing more is written; null while it is. */
  get broken(): Error | null {
    return this.#broken;
  }

  /** Nothing more is written; what waits is refused. */
  break(error: Error): void {
    this.#broken ??= error;
  }

  /** Nothing is under way: it is appended at once. */
  async #commitAlone(events: readonly RunEvent[], consumed: readonly string[]): Promise<void> {
    this.#busy = true;
    try {
      await this.#append(events, consumed);
    } catch (error) {
      this.break(error instanceof Error ? error : new Fault("broken_promise", String(error)));
      throw error;
    } finally {
      if (this.#waiting.length === 0) this.#busy = false;
      else void this.#flush();
    }
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        if (this.#broken !== null) throw this.#broken;
        // What is to be assessed is alone in its batch.
        const decided = batch[0]?.decide?.();
        const parts = decided === undefined ? batch : [...batch, decided];
        const events = parts.flatMap((part) => part.events);
        const consumed = parts.flatMap((part) => part.consumed ?? NOTHING);
        if (events.length > 0) await this.#append(events, consumed);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.break(error instanceof Error ? error : new Fault("broken_promise", String(error)));
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }

  /** All that waits, up to what is to be assessed; that goes alone. */
  #nextBatch(): Waiting[] {
    const decided = this.#waiting.findIndex(({ decide }) => decide !== null);
    return this.#waiting.splice(0, decided === -1 ? this.#waiting.length : Math.max(decided, 1));
  }

  async #append(given: readonly RunEvent[], consumed: readonly string[]): Promise<void> {
    const { state } = this;
    const at = this.#world.now();
    // Before anything that names a time by the clock as it is now.
    const jumps = this.#clock.jumps(at);
    const events = jumps.length === 0 ? given : [...jumps, ...given];
    const listing = { status: statusAfter(state, events), goal: state.goal, wakeAt: null };
    const outcome = await this.#journal.append({
      run: state.run,
      expected: state.seq,
      epoch: this.#epoch,
      at,
      events,
      consumed,
      listing,
    });
    if (outcome.kind !== "appended") throw lostOwnership(state.run);
    let index = 0;
    for (const event of events) {
      this.#fold(event, at, outcome.apart?.get(index));
      index += 1;
    }
    this.#maybeSnapshot(outcome.head.hash);
    this.#reader.appended();
  }

  /** A large result that the store keeps apart is not kept here too: this life has been given it. */
  #fold(event: RunEvent, at: number, apart: readonly ApartPlace[] | undefined): void {
    const place = { run: this.state.run, seq: this.state.seq + 1, at };
    const stays = apart !== undefined && mayStayApart(event, apart);
    const kept = stays
      ? ({ type: event.type, data: withPlaces(event.data, apart, () => null) } as RunEvent)
      : event;
    evolve(this.state, kept, stays ? { ...place, apart } : place);
    this.#snapshots.folded(roughBytes(kept.data));
  }

  #maybeSnapshot(hash: string): void {
    const { state } = this;
    if (!this.#snapshots.isDue(state.seq, () => roughBytes(state))) return;
    const text = JSON.stringify(state);
    this.#snapshots.written(state.seq, text.length);
    this.#journal
      .saveSnapshot(state.run, { seq: state.seq, hash, fold: FOLD_VERSION, state: text })
      .catch((error: unknown) => {
        this.break(error instanceof Error ? error : new Fault("broken_promise", String(error)));
      });
  }
}

/** What an event makes of a run's status, for the listing. */
const STATUS_AFTER: ReadonlyMap<EventType, RunStatus> = new Map([
  ["RunStarted", "running"],
  ["RunResumed", "running"],
  ["RunUnblocked", "running"],
  ["RunStopping", "pausing"],
  ["RunBlocked", "blocked"],
  ["RunCompleted", "completed"],
  ["RunFailed", "failed"],
  ["RunCancelled", "cancelled"],
]);

function statusAfter(state: ProgramRun, events: readonly RunEvent[]): RunStatus {
  let { status } = state;
  for (const { type } of events) status = STATUS_AFTER.get(type) ?? status;
  return status;
}

const lostOwnership = (run: string): Fault =>
  new Fault("closed", `${run} was taken over by another process; what this one still does is not recorded`, {
    retry: "later",
  });
