import { evolveSharedResource } from "../../decide/resources/evolve-shared-resource.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import {
  STORE_RESOURCE,
  type DayBudget,
  type DaySpent,
  type StoreStop,
} from "../../model/host/store-resource.ts";
import type { World } from "../../model/world.ts";
import { readSharedResource } from "../shared-resources.ts";
import type { Leases } from "../leases.ts";

const TRIES_MAX = 100;
const BUSY_WAIT_MS = 50;

/** How a store stands for all its runs. */
export interface StoreStanding {
  /** Set while the store is stopped. */
  readonly stop: StoreStop | null;
  readonly day: DaySpent | null;
}

/**
 * Stops and starts a store, and sets its budget of the day.
 *
 * On disk: one event in the store's own journal, beside those of accounts and hosts (decision 0021). A kill before the
 * append changes nothing; after it every supervisor, also one that starts later, finds it. To ask twice is to ask once.
 */
export class StoreSwitch {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #leases: Leases;

  constructor(journal: Journal, world: World, leases: Leases) {
    this.#journal = journal;
    this.#world = world;
    this.#leases = leases;
  }

  async standing(): Promise<StoreStanding> {
    return standingOf(await readSharedResource(this.#journal, STORE_RESOURCE));
  }

  /** Answers the stop that holds: an earlier one, if there is one. */
  async stop(by: string): Promise<StoreStop> {
    const { stop } = await this.#write(({ stop: before }) =>
      before === null ? [{ type: "StoreStopped", data: { by } }] : [],
    );
    if (stop === null) throw new Fault("store_busy", "the store was started again at the same moment");
    return stop;
  }

  /** Answers the stop that is over now; null where the store was not stopped. */
  async start(by: string): Promise<StoreStop | null> {
    let ended: StoreStop | null = null;
    await this.#write(({ stop }) => {
      ended = stop;
      return stop === null ? [] : [{ type: "StoreStarted", data: { by } }];
    });
    return ended;
  }

  async setDay(by: string, change: (before: DayBudget) => DayBudget): Promise<StoreStanding> {
    return this.#write(({ day }) => {
      const before = day?.budget ?? {};
      const budget = change(before);
      return JSON.stringify(before) === JSON.stringify(budget)
        ? []
        : [{ type: "DayBudgetSet", data: { budget, by } }];
    });
  }

  /** Writes down that the store is older than its anchor, and that somebody goes on with it. */
  async acceptRollback(data: EventData<"RollbackAccepted">): Promise<void> {
    await this.#write(() => [{ type: "RollbackAccepted", data }]);
  }

  /** One decision and its append, at the position that it was decided for. */
  async #write(decide: (before: StoreStanding) => RunEvent[]): Promise<StoreStanding> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const taken = await this.#leases.take(STORE_RESOURCE);
      if (taken.kind === "taken") {
        try {
          const after = await this.#append(taken.epoch, decide);
          if (after !== null) return after;
        } finally {
          await this.#leases.release(STORE_RESOURCE, taken.epoch);
        }
      }
      await new Promise<void>((resolve) => {
        this.#world.timer(BUSY_WAIT_MS, resolve);
      });
    }
    throw new Fault("store_busy", "another process holds the journal of the store; try again");
  }

  async #append(epoch: number, decide: (before: StoreStanding) => RunEvent[]): Promise<StoreStanding | null> {
    const state = await readSharedResource(this.#journal, STORE_RESOURCE);
    const events = decide(standingOf(state));
    if (events.length === 0) return standingOf(state);
    const at = this.#world.now();
    this.#world.crashPoint("store.switch.before");
    const outcome = await this.#journal.append({
      run: STORE_RESOURCE,
      expected: state.seq,
      epoch,
      at,
      events,
      listing: { status: "completed", goal: STORE_RESOURCE, wakeAt: null },
    });
    this.#world.crashPoint("store.switch.after");
    if (outcome.kind !== "appended") return null;
    for (const event of events) evolveSharedResource(state, event, { seq: state.seq + 1, at });
    return standingOf(state);
  }
}

export const standingOf = ({
  stop,
  day,
}: {
  readonly stop: StoreStop | null;
  readonly day: DaySpent | null;
}): StoreStanding => ({ stop: stop?.startedAt === null ? stop : null, day });
