import { evolveSharedResource, newSharedResource } from "../decide/resources/evolve-shared-resource.ts";
import { moveSharedResource } from "../decide/resources/shared-resource-clock.ts";
import { sharedResourcesOf } from "../decide/resources/shared-resources.ts";
import { newsOf } from "../decide/resources/shared-resource-news.ts";
import { decideResource } from "../decide/resources/decide-shared-resource.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunEvent } from "../model/events/events.ts";
import { Fault, isFault } from "../model/fault.ts";
import type {
  SharedResourceFact,
  SharedResourceNews,
  SharedResourceRules,
  SharedResourceState,
} from "../model/host/shared-resource.ts";
import type { RunState } from "../model/state/run-state.ts";
import { STORE_RESOURCE } from "../model/host/resource-address.ts";
import type { StoreStop } from "../model/host/store-resource.ts";
import { ClockWatch } from "../model/host/clock-watch.ts";
import type { ClockReading } from "../model/host/clock.ts";
import { elapsedMs, type World } from "../model/world.ts";
import { continuousName } from "../model/continuous/continuous-spec.ts";
import { missionName } from "../model/mission/mission-spec.ts";
import type { Leases } from "./leases.ts";
import { pause, type Ports } from "./ports.ts";

const PAGE_EVENTS = 250;
const TRIES_MAX = 600;
const BUSY_WAIT_MS = 200;

/** A run that is worked here, and who receives for it. */
interface Listener {
  readonly state: Readonly<RunState>;
  readonly receive: (event: RunEvent) => void;
  /** What was last sent to it, by shared resource: it may not have folded that yet. */
  readonly sent: Map<string, string>;
}

/**
 * What the runs of this process know of the shared resources they depend on, and the way by which they notify others.
 *
 * On disk: a journal per shared resource, beside those of the runs, written under a lease that is held for one append
 * only. What is remembered here is a copy that may lag behind by one look. A report that was under way when its process
 * died is reported again under the same key by the run's next owner, and counts once.
 */
export class SharedResources {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #leases: Leases;
  readonly #everyMs: number;
  #nextLook = -Infinity;
  /** The store is known from the beginning: whether it is stopped concerns a supervisor without runs too. */
  readonly #known = new Map<string, SharedResourceState>([
    [STORE_RESOURCE, newSharedResource(STORE_RESOURCE)],
  ]);
  readonly #publishing = new Map<string, Promise<unknown>>();
  readonly #listeners = new Map<string, Listener>();
  /** Read again when they have jumped, and only then: what follows from them is news each time that it changes. */
  #clocks: ClockReading | undefined;
  readonly #clock: ClockWatch;

  constructor({ journal, world }: Pick<Ports, "journal" | "world">, leases: Leases, everyMs: number) {
    this.#everyMs = everyMs;
    this.#journal = journal;
    this.#world = world;
    this.#leases = leases;
    this.#clocks = world.clock?.();
    this.#clock = new ClockWatch(world, this.#clocks ?? null);
  }

  /** The stop of the store that holds, as of the last look; null where it is started. */
  get stop(): StoreStop | null {
    const { stop } = this.#copy(STORE_RESOURCE);
    return stop?.startedAt === null ? stop : null;
  }

  /** What a run that was just taken has not received yet; `host` is where it is worked from now on. */
  async newsFor(state: Readonly<RunState>, host: string): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    const there = { ...state, host };
    for (const resource of sharedResourcesOf(there)) {
      await this.#catchUp(resource);
      events.push(...this.#news(there, resource));
    }
    return events;
  }

  /** Notifies a run from now on what is news to it. */
  listen(state: Readonly<RunState>, receive: (event: RunEvent) => void): () => void {
    const listener = { state, receive, sent: new Map<string, string>() };
    this.#listeners.set(state.run, listener);
    return () => {
      if (this.#listeners.get(state.run) === listener) this.#listeners.delete(state.run);
    };
  }

  /** Looks whether other processes reported something, now and then. */
  async look(): Promise<void> {
    const now = elapsedMs(this.#world);
    if (now < this.#nextLook) return;
    this.#nextLook = now + this.#everyMs;
    for (const [resource, { seq }] of this.#known)
      await this.#lookAt(resource, seq).catch((fault: unknown) => {
        // What was known of it before holds; a run that needs to know more learns of the damage itself.
        if (!isFault(fault, "journal_damaged")) throw fault;
      });
  }

  async #lookAt(resource: string, seq: number): Promise<void> {
    const head = await this.#journal.head(resource);
    if ((head?.seq ?? 0) <= seq) return;
    await this.#catchUp(resource);
    this.#spread(resource, null);
  }

  /**
   * Writes a fact, and answers how the shared resource stands for the run that reported it. One at a time per shared
   * resource.
   */
  async publish(
    resource: string,
    { fact, rules }: { readonly fact: SharedResourceFact; readonly rules: SharedResourceRules },
    signal: AbortSignal,
  ): Promise<SharedResourceNews> {
    const before = this.#publishing.get(resource) ?? Promise.resolve();
    const published = fact.kind === "died" ? { ...fact, living: this.#living(fact.run) } : fact;
    const publishing = before.then(() => this.#publishNow(resource, { fact: published, rules }, signal));
    const settled = publishing.catch(() => undefined);
    this.#publishing.set(resource, settled);
    await publishing;
    // The run that reported it receives it with the outcome of its report.
    this.#spread(resource, fact.run);
    return newsOf(this.#present(resource), fact.run);
  }

  async #publishNow(
    resource: string,
    { fact, rules }: { readonly fact: SharedResourceFact; readonly rules: SharedResourceRules },
    signal: AbortSignal,
  ): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX && !signal.aborted; tries += 1) {
      const taken = await this.#leases.take(resource);
      if (taken.kind === "held") {
        await this.#pause();
        continue;
      }
      try {
        await this.#catchUp(resource);
        if (this.#copy(resource).known.includes(fact.key)) return;
        if (await this.#append(resource, taken.epoch, { fact, rules })) return;
      } finally {
        await this.#leases.release(resource, taken.epoch);
      }
    }
    throw new Fault("store_busy", `nothing could be recorded about ${resource}: another process holds it`);
  }

  async #append(
    resource: string,
    epoch: number,
    { fact, rules }: { readonly fact: SharedResourceFact; readonly rules: SharedResourceRules },
  ): Promise<boolean> {
    const at = this.#world.now();
    const before = this.#copy(resource);
    const after = structuredClone(before);
    const clock = this.#world.clock?.();
    const recorded: RunEvent = {
      type: "GroundTold",
      data: { fact, ...(clock === undefined ? {} : { clock }) },
    };
    evolveSharedResource(after, recorded, { seq: before.seq + 1, at });
    const decided = decideResource(after, fact, rules, at);
    for (const event of decided) evolveSharedResource(after, event, { seq: after.seq + 1, at });
    const outcome = await this.#journal.append({
      run: resource,
      expected: before.seq,
      epoch,
      at,
      events: [recorded, ...decided],
      // A shared resource is never work: the one that looks for runs to take finds none here.
      listing: { status: "completed", goal: resource, wakeAt: null },
    });
    if (outcome.kind === "appended") this.#known.set(resource, after);
    return outcome.kind === "appended";
  }

  /** Runs other than this one that have a session here. */
  #living(butOf: string): number {
    const works = ({ state }: Listener): boolean =>
      Object.values(state.attempts).some(({ started, exit }) => started && exit === null);
    return [...this.#listeners.values()].filter((one) => one.state.run !== butOf && works(one)).length;
  }

  #copy(resource: string): SharedResourceState {
    return this.#known.get(resource) ?? newSharedResource(resource);
  }

  /** As it stands by the clock as it is now. */
  #present(resource: string): SharedResourceState {
    if (this.#clock.hasJumped(this.#world.now())) this.#clocks = this.#world.clock?.();
    return this.#clocks === undefined
      ? this.#copy(resource)
      : moveSharedResource(this.#copy(resource), this.#clocks);
  }

  async #catchUp(resource: string): Promise<void> {
    this.#known.set(resource, await readSharedResource(this.#journal, resource, this.#copy(resource)));
  }

  #spread(resource: string, butTo: string | null): void {
    for (const { state, receive, sent } of this.#listeners.values()) {
      const [event] = this.#news(state, resource);
      const text = JSON.stringify(event);
      if (event === undefined || sent.get(resource) === text) continue;
      sent.set(resource, text);
      if (state.run !== butTo) receive(event);
    }
  }

  #news(state: Readonly<RunState>, resource: string): RunEvent[] {
    if (!sharedResourcesOf(state).includes(resource)) return [];
    const news = newsOf(this.#present(resource), state.run);
    const known = state.sharedResources[resource]?.news ?? NOTHING;
    return JSON.stringify(news) === JSON.stringify(known)
      ? []
      : [{ type: "GroundHeard", data: { ground: resource, news } }];
  }

  #pause(): Promise<void> {
    return pause(this.#world, BUSY_WAIT_MS);
  }
}

/** Every shared resource of a store of which anything was reported. */
export async function loadSharedResources(journal: Journal, world: World): Promise<SharedResourceState[]> {
  const listed = await journal.runs({ shared: true });
  const clock = world.clock?.();
  return Promise.all(
    listed
      .filter(({ run }) => continuousName(run) === null && missionName(run) === null)
      .map(async ({ run }) => {
        const state = await readSharedResource(journal, run);
        return clock === undefined ? state : moveSharedResource(state, clock);
      }),
  );
}

const NOTHING: SharedResourceNews = { pause: null, incident: null, pardons: [] };

/**
 * Folds a shared resource from its journal, or from a copy that may lag behind; one that was never reported about is as
 * new.
 */
export async function readSharedResource(
  journal: Journal,
  resource: string,
  from: SharedResourceState = newSharedResource(resource),
): Promise<SharedResourceState> {
  const state = structuredClone(from);
  for (;;) {
    const events = await journal.read(resource, { after: state.seq, limit: PAGE_EVENTS });
    for (const event of events) evolveSharedResource(state, event, event);
    if (events.length < PAGE_EVENTS) return state;
  }
}
