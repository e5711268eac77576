import type { Journal, RunsFilter } from "../../journal/journal.ts";
import { elapsedMs, type World } from "../../model/world.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { ClockWatch } from "../../model/host/clock-watch.ts";
import { ContinuousSessions } from "../continuous/continuous-sessions.ts";
import { Missions } from "../mission/missions.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { OfferedRuns, type Room } from "../fleet/offered-runs.ts";
import { ReturnedRuns } from "../fleet/returned-runs.ts";

/** A supervisor that died was at work on the runs that changed last. */
const LOOKED_AT_MAX = 200;

/** A run that is over may still have a notice to send again. */
const RESTING = ["paused", "blocked", "awaiting_approval", "completed", "failed", "cancelled"] as const;

type OnDamaged = NonNullable<RunsFilter["onDamaged"]>;

/**
 * Finds runs that want an owner: those that work by themselves, and those that were asked something.
 * Every append anywhere is a hint to look, so the whole listing is read only now and then; mail is looked at each time.
 */
export class WorkFinder {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #everyMs: number;
  /** A damaged row of one run is no reason to leave the others alone. */
  readonly #onDamaged: OnDamaged;
  readonly #clock: ClockWatch;
  readonly #sessions: ContinuousSessions;
  readonly #missions: Missions;
  readonly #returned: ReturnedRuns;
  readonly #offered: OfferedRuns;
  #nextListing = -Infinity;
  #first = true;
  #resting: readonly { readonly run: string; readonly wakeAt: number }[] = [];

  /** With `isDraining` queued runs are fetched as the store offers them, where hosts share it. */
  constructor(ports: Ports, leases: Leases, onDamaged: OnDamaged, isDraining?: () => boolean) {
    const { journal, world, settings } = ports;
    this.#sessions = new ContinuousSessions(ports, leases);
    this.#missions = new Missions(ports, leases);
    this.#returned = new ReturnedRuns(journal, ports.home, onDamaged);
    this.#offered = new OfferedRuns(ports, isDraining);
    this.#onDamaged = onDamaged;
    this.#journal = journal;
    this.#world = world;
    this.#clock = new ClockWatch(world, world.clock?.() ?? null);
    this.#everyMs = settings.supervisor.scanMs;
  }

  /** The next look reads the listing: a place has become free, say. */
  lookAtAll(): void {
    this.#nextListing = -Infinity;
  }

  /** When a run at rest wants to be looked at next, as of the last listing; those that are left alone do not count. */
  nextWake(leftAlone: ReadonlySet<string>): number {
    // A continuous session is not left alone, however far away its next goal is; nor is a mission.
    if (this.#sessions.nextAt < Infinity || this.#missions.isAtWork) return -Infinity;
    return this.#resting.reduce(
      (earliest, { run, wakeAt }) => (leftAlone.has(run) ? earliest : Math.min(earliest, wakeAt)),
      Infinity,
    );
  }

  async find(mail: ReadonlySet<string>, room: Room): Promise<string[]> {
    // Runs that it has created are found at once.
    if (await this.#sessions.look()) this.lookAtAll();
    if (await this.#missions.look()) this.lookAtAll();
    // Addresses with a colon are supervisors, not runs.
    const addressed = [...mail].filter((address) => !address.includes(":"));
    const asked = [...addressed, ...(await this.#offered.pull(room))];
    const [now, ranMs] = [this.#world.now(), elapsedMs(this.#world)];
    const hasJumped = this.#clock.hasJumped(now);
    if (ranMs < this.#nextListing && !hasJumped) return asked;
    this.#nextListing = ranMs + this.#everyMs;
    const onDamaged = this.#onDamaged;
    const queued: RunStatus[] = this.#offered.isUsed ? [] : ["queued"];
    const working = await this.#journal.runs({ statuses: [...queued, "running", "pausing"], onDamaged });
    // Wake times of idle runs were written by the clock as it was: each run is looked at again.
    const waking = await this.#waking(hasJumped ? Infinity : now);
    const names = [...working, ...waking, ...(await this.#leftBehind()), ...(await this.#returned.find())]
      .map((listing) => listing.run)
      .reverse();
    return [...new Set([...names, ...asked])];
  }

  /** Runs at rest that have something to do at a time of their own, such as a notice that must be sent again. */
  async #waking(now: number) {
    this.#resting = await restingRuns(this.#journal, this.#onDamaged);
    return this.#resting.filter(({ wakeAt }) => wakeAt <= now);
  }

  /**
   * Looked for once. A shutdown never ends a run: what the last supervisor put to rest on its way out, this one wakes.
   * And what an owner held that died just when its run had come to rest may lag behind in people's files.
   */
  async #leftBehind() {
    if (!this.#first) return [];
    this.#first = false;
    const resting = await this.#journal.runs({ statuses: RESTING, onDamaged: this.#onDamaged });
    const stopped = resting.filter(({ status, wakeAt }) => status === "paused" && wakeAt !== null);
    const newest = resting.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, LOOKED_AT_MAX);
    const held = await Promise.all(
      newest.map(async (listing) => ((await this.#isLeftHeld(listing.run)) ? [listing] : [])),
    );
    return [...stopped, ...held.flat()];
  }

  /** Owners let go of what is at rest, unless they die before. */
  async #isLeftHeld(run: string): Promise<boolean> {
    const holder = (await this.#journal.lease(run))?.owner ?? null;
    return holder !== null && this.#world.liveness(holder.process) === "gone";
  }
}

/** Runs that wait for somebody or are over, and have something to do by themselves all the same, and when. */
export async function restingRuns(
  journal: Journal,
  onDamaged: OnDamaged,
): Promise<{ run: string; wakeAt: number }[]> {
  const resting = await journal.runs({ statuses: RESTING, waking: true, onDamaged });
  return resting.flatMap(({ run, status, wakeAt, updatedAt }) => {
    // A paused run whose time was not to come was put to rest by a shutdown; only the next supervisor wakes it.
    const isShutDown = status === "paused" && (wakeAt ?? 0) <= updatedAt;
    return wakeAt === null || isShutDown ? [] : [{ run, wakeAt }];
  });
}

/** What is asked of a run just after it was removed has nobody to answer it, and would be looked at for ever. */
export async function dropMail(journal: Journal, run: string): Promise<void> {
  const rows = await journal.inbox(run);
  await journal.consume(
    run,
    rows.map(({ id }) => id),
  );
}
