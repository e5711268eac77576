import { pause } from "../ports.ts";
import { evolveSharedResource } from "../../decide/resources/evolve-shared-resource.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { Asked, DayBudget, DaySpent, StoreStop } from "../../model/host/store-resource.ts";
import { STORE_RESOURCE } from "../../model/host/resource-address.ts";
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

export interface StoreOrder extends Asked {
  readonly by: string;
  /** It was begun before: what its request has written behind this event is what was asked for. */
  readonly since?: number;
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
    return storeStanding(this.#journal);
  }

  /** The last event of the store's own journal. */
  async seq(): Promise<number> {
    return (await this.#journal.head(STORE_RESOURCE))?.seq ?? 0;
  }

  /** Answers the stop that holds: an earlier one, if there is one. Null where a request that was done before is over. */
  async stop(order: StoreOrder): Promise<StoreStop | null> {
    const { stop } = await this.#write(order, ({ stop: before }) =>
      before === null ? [{ type: "StoreStopped", data: dataOf(order) }] : [],
    );
    if (stop === null && order.since === undefined)
      throw new Fault("store_busy", "the store was started again at the same moment");
    return stop;
  }

  /** Answers the stop that is over now; null where the store was not stopped. */
  async start(order: StoreOrder): Promise<StoreStop | null> {
    let ended: StoreStop | null = null;
    await this.#write(order, ({ stop }) => {
      ended = stop;
      return stop === null ? [] : [{ type: "StoreStarted", data: dataOf(order) }];
    });
    return ended;
  }

  async setDay(order: StoreOrder, change: (before: DayBudget) => DayBudget): Promise<StoreStanding> {
    return this.#write(order, ({ day }) => {
      const before = day?.budget ?? {};
      const budget = change(before);
      return JSON.stringify(before) === JSON.stringify(budget)
        ? []
        : [{ type: "DayBudgetSet", data: { budget, ...dataOf(order) } }];
    });
  }

  /** Writes down that the store is older than its anchor, and that somebody goes on with it. */
  async acceptRollback(data: EventData<"RollbackAccepted">): Promise<void> {
    await this.#write({ by: data.by }, () => [{ type: "RollbackAccepted", data }]);
  }

  /** One decision and its append, at the position that it was decided for. */
  async #write(order: StoreOrder, decide: (before: StoreStanding) => RunEvent[]): Promise<StoreStanding> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const taken = await this.#leases.take(STORE_RESOURCE);
      if (taken.kind === "taken") {
        try {
          const isDone = await this.#wasWritten(order);
          const after = await this.#append(taken.epoch, isDone ? () => [] : decide);
          if (after !== null) return after;
        } finally {
          await this.#leases.release(STORE_RESOURCE, taken.epoch);
        }
      }
      await pause(this.#world, BUSY_WAIT_MS);
    }
    throw new Fault("store_busy", "another process holds the journal of the store; try again");
  }

  async #wasWritten({ request, since }: StoreOrder): Promise<boolean> {
    if (request === undefined || since === undefined) return false;
    const events = await this.#journal.read(STORE_RESOURCE, { after: since, limit: 10_000 });
    return events.some(({ data }) => "request" in data && data.request === request);
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

const dataOf = ({ by, request, via }: StoreOrder): Asked & { readonly by: string } => ({
  by,
  ...(request === undefined ? {} : { request }),
  ...(via === undefined ? {} : { via }),
});

export const storeStanding = async (journal: Journal): Promise<StoreStanding> =>
  standingOf(await readSharedResource(journal, STORE_RESOURCE));

export const standingOf = ({
  stop,
  day,
}: {
  readonly stop: StoreStop | null;
  readonly day: DaySpent | null;
}): StoreStanding => ({ stop: stop?.startedAt === null ? stop : null, day });
