import { Fault, asFault, isFault } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { areAgentsAtWork } from "./agents-at-work.ts";
import { AwayWatch } from "../fleet/away-watch.ts";
import type { OwnedRun } from "../fleet/owned-run.ts";
import { isOfTurn } from "./death-notes.ts";
import { WorkFinder, dropMail } from "./find-work.ts";
import { SharedResources } from "../shared-resources.ts";
import { Leases } from "../leases.ts";
import { Orphans } from "./orphans.ts";
import { type Claimed, openRun, type OwnerEnd } from "../load-run.ts";
import { RunOwner } from "../run-owner.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Ports } from "../ports.ts";
import { ScanPace } from "./scan-pace.ts";
import { readShutdown } from "./shutdown-mail.ts";
import { StoreRoom } from "./store-room.ts";
import { supervisorAddress } from "./lost-hosts.ts";
import type { SupervisorEnd, SupervisorOptions } from "./supervisor-options.ts";

/** Under a lease nobody else writes; so often it is treated as a lost answer and the run is folded again (I7). */
const RELOADS_MAX = 5;

/**
 * Finds runs that want work and that nobody owns, owns them, and lets go.
 *
 * States: scanning (always), owning 0 … runsAtOnce runs, ending. Invariants:
 * 1. It works a run only under a lease; an epoch that is refused ends the ownership at once (I9).
 * 2. A fault of the store ends the supervisor: the next start folds from the journal. A fault of one journal
 *    leaves that run alone and is reported.
 * 3. Nothing here needs to be remembered: a new supervisor finds everything in the store (I3).
 */
export class Supervisor {
  readonly leases: Leases;
  readonly #ports: Ports;
  readonly #options: SupervisorOptions;
  readonly #work: WorkFinder;
  readonly #resources: SharedResources;
  readonly #owned = new Map<string, { owner: RunOwner | null }>();
  readonly #leftAlone = new Set<string>();
  readonly #room: StoreRoom;
  readonly #away: AwayWatch;
  readonly #pace: ScanPace;
  readonly #orphans: Orphans;
  /** Runs of others, and until when they are not asked for again: every append anywhere brings a scan. */
  readonly #heldBySomebody = new Map<string, number>();
  #end: SupervisorEnd | null = null;
  #fault: Fault | null = null;
  #wake: (() => void) | null = null;
  #idleSince: number;
  #nextBeat = 0;
  #busyRounds = 0;

  constructor(ports: Ports, options: SupervisorOptions = {}, leases?: Leases) {
    this.#ports = ports;
    this.#options = options;
    this.#room = new StoreRoom(ports.world, options);
    this.#orphans = new Orphans(ports);
    this.#pace = new ScanPace(ports.settings.supervisor.scanMs);
    this.leases = leases ?? new Leases(ports.journal, ports.world, ports.settings.lease.ms);
    this.#idleSince = elapsedMs(ports.world);
    this.#resources = new SharedResources(ports, this.leases, ports.settings.supervisor.scanMs);
    this.#away = new AwayWatch(ports, this.leases, options);
    this.#work = new WorkFinder(ports, this.leases, this.#failRun.bind(this), options.isDraining);
  }

  /** Undefined if it is not owned here. */
  stateOf(run: string): Readonly<RunState> | undefined {
    return this.#owned.get(run)?.owner?.state;
  }

  ownedRuns(): readonly OwnedRun[] {
    return [...this.#owned.values()].flatMap(({ owner }) => owner?.owned ?? []);
  }

  /** Runs may have become free. */
  lookAtAll(): void {
    this.#heldBySomebody.clear();
    this.#pace.atOnce();
    this.#work.lookAtAll();
    this.#wake?.();
  }

  stop(stopAgents = false): void {
    this.#finish({ kind: "asked", stopAgents });
  }

  /** Works until it is asked to stop, idle for too long, or (with `only`) settled. Throws the fault that ended it. */
  async work(): Promise<SupervisorEnd> {
    const unwatch = this.#ports.journal.watch(() => {
      this.#pace.hint();
      this.#wake?.();
    });
    const { held } = this.#options;
    try {
      if (held !== undefined) this.#own(held.run, held.epoch, "nobody");
      while (this.#end === null) {
        await this.#round();
        if (this.#end === null) await this.#pause();
      }
      // After a fault of the store owners may be unable to say that they have let go, and are left.
      while (this.#owned.size > 0) await this.#pause();
      if (this.#fault !== null) throw await this.#orphans.endFor(this.#fault);
      return this.#end;
    } finally {
      unwatch();
      this.#ports.awake?.set(false);
    }
  }

  async #round(): Promise<void> {
    try {
      await this.#beatIfDue();
      if (elapsedMs(this.#ports.world) >= this.#pace.nextAt) await this.#scanInPace();
      this.#endIfIdle();
      this.#ports.awake?.set(areAgentsAtWork(this.#owned.values()));
      this.#busyRounds = 0;
      this.#options.onRound?.();
    } catch (fault) {
      if (this.#end === null && (await this.#room.waitedFor(fault))) return;
      this.#busyRounds += 1;
      if (!isFault(fault, "store_busy") || this.#busyRounds >= RELOADS_MAX) this.#fail(fault);
    }
  }

  async #beatIfDue(): Promise<void> {
    const now = elapsedMs(this.#ports.world);
    if (now < this.#nextBeat) return;
    await this.leases.beat();
    this.#options.onBeat?.(now);
    this.#room.served();
    this.#nextBeat = now + this.#ports.settings.lease.ms / 3;
  }

  async #scanInPace(): Promise<void> {
    const { world } = this.#ports;
    this.#pace.began(elapsedMs(world));
    await this.#scan();
    this.#pace.ended(elapsedMs(world));
  }

  async #scan(): Promise<void> {
    await this.#resources.look();
    const { only } = this.#options;
    if (this.#isStopped()) return;
    if (only === undefined) await this.#readOwnMail();
    const mail = new Set(await this.#ports.journal.addressesWithMail());
    if (mail.size > 0)
      for (const [run, { owner }] of this.#owned) if (mail.has(run)) await owner?.checkMail();
    const slots = this.#ports.settings.limits.runsAtOnce;
    const room = { slots: slots - this.#owned.size, isOwned: (run: string) => this.#owned.has(run) };
    for (const run of only === undefined ? await this.#work.find(mail, room) : [only]) {
      if (this.#owned.size >= slots || this.#end !== null) return;
      if (this.#owned.has(run) || this.#leftAlone.has(run)) continue;
      // A row of its lease that somebody has changed concerns this run alone.
      await this.#take(run).catch((fault: unknown) => {
        if (!isFault(fault, "journal_damaged")) throw fault;
        this.#failRun(run, fault);
      });
    }
  }

  /** While the store is stopped nothing is taken; what is owned is let go when it has no session left. */
  #isStopped(): boolean {
    const { stop } = this.#resources;
    if (stop === null || this.#options.drains !== undefined) return false;
    for (const { owner } of this.#owned.values()) owner?.leaveWhenIdle();
    if (this.#owned.size === 0) this.#finish({ kind: "stopped", stop });
    return true;
  }

  async #readOwnMail(): Promise<void> {
    const shutdown = await readShutdown(this.#ports.journal, supervisorAddress(this.#ports.world.self));
    if (shutdown !== null) this.stop(shutdown.stopAgents);
  }

  async #take(run: string): Promise<void> {
    const now = elapsedMs(this.#ports.world);
    if (this.#away.isLeft(run) || now < (this.#heldBySomebody.get(run) ?? -Infinity)) return;
    const taken = await this.leases.take(run);
    const { scanMs } = this.#ports.settings.supervisor;
    if (taken.kind === "held") this.#heldBySomebody.set(run, now + scanMs / 2);
    else this.#heldBySomebody.delete(run);
    if (taken.kind === "taken") this.#own(run, taken.epoch, taken.from);
  }

  #own(run: string, epoch: number, from: Claimed["from"]): void {
    const place: { owner: RunOwner | null } = { owner: null };
    this.#owned.set(run, place);
    this.#options.onTaken?.(run, from);
    const work = (): Promise<void> => this.#workRun(run, { epoch, from }, place);
    void (this.#ports.deaths?.within(run, work) ?? work())
      .catch((fault: unknown) => this.#failRun(run, fault))
      .finally(() => {
        if (place.owner !== null) this.#options.onLetGo?.(run, place.owner.state.status);
        this.#owned.delete(run);
        this.#idleSince = elapsedMs(this.#ports.world);
        this.lookAtAll();
      });
  }

  async #workRun(
    run: string,
    claim: Pick<Claimed, "epoch" | "from">,
    place: { owner: RunOwner | null },
  ): Promise<void> {
    const isFine = (): boolean => this.#fault === null;
    for (let reloads = 0; reloads < RELOADS_MAX; reloads += 1) {
      const loaded = await this.#room.untilRead(() => openRun(this.#ports.journal, run), isFine);
      if (loaded === null) await dropMail(this.#ports.journal, run);
      if (loaded === null || this.#isProgram(loaded.state)) return this.leases.release(run, claim.epoch);
      const files = await this.#away.filesOf(loaded.state, claim.epoch);
      if (files === "left") return;
      const onMirrorFault = (text: string): void => this.#options.onMirrorFault?.(run, text);
      const by = { owner: this.leases.owner.id, onMirrorFault, away: files === "lost" };
      const owner = new RunOwner(this.#ports, { ...loaded, ...claim, ...by }, this.#resources);
      place.owner = owner;
      if (this.#options.drains === "stop_agents") owner.stopAgents();
      if (this.#options.drains === "store_stopped") owner.leaveWhenIdle();
      if (this.#end !== null) this.#stopOwner(owner);
      const end = await owner.work().catch((fault: unknown) => this.#laterIfBusy(fault, owner));
      if (end === "no_room") reloads = -1;
      if (end === "no_room" || end.kind === "reload") continue;
      owner.abandon();
      if (end.kind === "fenced") return;
      await this.#room.until(() => this.leases.release(run, claim.epoch), isFine);
      const isSettled = end.kind === "at_rest" || this.#options.drains !== undefined;
      if (isSettled && run === this.#options.only) this.#finish({ kind: "settled" });
      return;
    }
    throw new Fault("store_failed", `somebody writes to ${run} under our lease; the supervisor must restart`);
  }

  /** A program runs its own work: here it is left alone. */
  #isProgram({ run, kind }: Readonly<RunState>): boolean {
    if (kind === "program") this.#leftAlone.add(run);
    return kind === "program";
  }

  /** Another process holds the store for long: the run is folded again after a while, under the same lease. */
  async #laterIfBusy(fault: unknown, owner: RunOwner): Promise<OwnerEnd | "no_room"> {
    if (this.#end === null && (await this.#room.waitedFor(fault))) return "no_room";
    if (!isFault(fault, "store_busy")) {
      owner.abandon();
      throw fault;
    }
    await this.#room.pause();
    return { kind: "reload" };
  }

  #failRun(run: string, fault: unknown): void {
    const ofThisRun = isFault(fault, "journal_damaged") || isFault(fault, "event_unknown");
    if (!ofThisRun || run === this.#options.only) {
      if (isOfTurn(fault)) this.#ports.deaths?.note(run, "exception", fault);
      return this.#fail(fault);
    }
    if (!this.#leftAlone.has(run)) this.#options.onRunFault?.(run, fault);
    this.#leftAlone.add(run);
  }

  #fail(fault: unknown): void {
    this.#fault ??= asFault(fault);
    this.#orphans.note(this.#fault, this.#owned.values());
    this.#finish({ kind: "asked", stopAgents: false });
  }

  #finish(end: SupervisorEnd): void {
    this.#end ??= end;
    if (end.kind === "asked") this.#ports.journal.leave?.();
    for (const { owner } of this.#owned.values()) this.#stopOwner(owner);
    this.#wake?.();
  }

  #stopOwner(owner: RunOwner | null): void {
    if (this.#end?.kind === "asked" && this.#end.stopAgents) owner?.stopAgents();
    else owner?.stop();
  }

  #endIfIdle(): void {
    const now = elapsedMs(this.#ports.world);
    const wakeMs = this.#work.nextWake(this.#leftAlone) - this.#ports.world.now();
    if (this.#owned.size > 0 || wakeMs <= this.#ports.settings.supervisor.stayForMs) this.#idleSince = now;
    else if (now - this.#idleSince >= (this.#options.idleExitMs ?? Infinity)) this.#finish({ kind: "idle" });
  }

  async #pause(): Promise<void> {
    const idle = this.#owned.size > 0 ? Infinity : this.#idleSince + (this.#options.idleExitMs ?? Infinity);
    const dueAt = Math.min(this.#nextBeat, this.#pace.nextAt, idle);
    const delayMs = Math.max(0, dueAt - elapsedMs(this.#ports.world));
    if (delayMs === 0 && this.#end === null) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#ports.world.timer(Math.max(delayMs, 1), resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = null;
  }
}
