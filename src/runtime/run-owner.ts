import { isAtRest } from "../decide/decide.ts";
import { isAway } from "../decide/workspace/away.ts";
import { nextDeadline } from "../decide/dispatch/deadlines.ts";
import { FOLD_VERSION } from "../fold/fold-version.ts";
import {
  effectsToPerform,
  isLeftAlone,
  type Leaving,
  leavingEvents,
  mayLeave,
  wakesByItself,
} from "../decide/attempt/quarantine.ts";
import type { InboxRow } from "../journal/journal.ts";
import type { RunEvent } from "../model/events/events.ts";
import { asFault } from "../model/fault.ts";
import type { RunState } from "../model/state/run-state.ts";
import { ClockWatch, hasJumpedSince } from "../model/host/clock-watch.ts";
import { EffectRunner, needsOf } from "./effect-runner.ts";
import { ownedRun, type OwnedRun } from "./fleet/owned-run.ts";
import { unlessOurs } from "./fleet/still-ours.ts";
import type { SharedResources } from "./shared-resources.ts";
import { worksInside } from "./supervisor/lives-inside.ts";
import { ProtectedWatch } from "./work/watch-protected.ts";
import type { Ports } from "./ports.ts";
import { RunMirror } from "./run-mirror.ts";
import { requestOf } from "./requests.ts";
import type { Claimed, OwnerEnd } from "./load-run.ts";
import { SessionListeners } from "./session-listeners.ts";
import { takeUpDeaths } from "./supervisor/take-up-deaths.ts";
import { takeTurnOf, turnAppend } from "./take-turn.ts";

interface Received {
  readonly event: RunEvent;
  readonly rowId: string | null;
  readonly durable: () => void;
}

const SNAPSHOT_EVERY_EVENTS = 500;
/** A large state is written more rarely, so that writing it stays in proportion to what has happened. */
const SNAPSHOT_CHARS_PER_EVENT = 4_000;
const ROWS_REMEMBERED = 1_000;
/** A supervisor that ends waits so long for agents inside its process; those that do not listen are abandoned. */
const RESTART_WAIT_MS = 3_000;

/**
 * The heartbeat of one run: receive → fold → decide → append both → act.
 *
 * On disk at each instant: before the append nothing of this turn; after it everything received, decided and intended
 * (I1). A crash before loses only what can be received again (spools are read from the journaled cursor, inbox rows
 * are still there, intents still open); a crash after it leaves intents that the next owner performs again under
 * the same keys (I2). One turn at a time, one await per turn (I4). On any fault the whole owner is thrown away and
 * a new one folds from the journal: there is no other way to repair.
 */
export class RunOwner {
  readonly #ports: Ports;
  readonly #claimed: Claimed;
  readonly #resources: SharedResources;
  readonly #state: RunState;
  readonly #effects: EffectRunner;
  readonly #listeners: SessionListeners;
  readonly #eyes: ProtectedWatch;
  readonly #mirror: RunMirror;
  readonly #clock: ClockWatch;
  readonly #rowsTaken = new Set<string>();
  #unlisten: () => void = () => undefined;
  readonly #queue: Received[] = [];
  #inTurn: readonly Received[] = [];
  #isOver = false;
  #wake: (() => void) | null = null;
  #poked = true;
  #stopping = false;
  #restarting = false;
  #cancelRestart: () => void = () => undefined;
  /** It lets go as soon as no session is left. */
  #leaving: Leaving | null = null;
  #fault: Error | null = null;
  #snapshotSeq: number;
  #snapshotEvery = SNAPSHOT_EVERY_EVENTS;
  /** The time of the last decision: deadlines up to then were seen by it. */
  #decidedAt = 0;

  constructor(ports: Ports, claimed: Claimed, resources: SharedResources) {
    this.#ports = ports;
    this.#resources = resources;
    this.#claimed = claimed;
    this.#state = claimed.state;
    this.#clock = new ClockWatch(ports.world, claimed.state.clockRead);
    // Not from where this owner begins: owners that come and go quickly would never write one.
    this.#snapshotSeq = claimed.snapshotSeq;
    this.#effects = new EffectRunner(ports, resources, {
      settled: (key, outcome) => void this.receive({ type: "EffectSettled", data: { key, outcome } }),
      unlessOurs: (effect) => unlessOurs(ports, effect, claimed),
      delayed: (key, fault) => void this.receive({ type: "EffectDelayed", data: { key, ...fault } }),
    });
    this.#listeners = new SessionListeners(ports, (event) => this.receive(event));
    this.#eyes = new ProtectedWatch(ports, (event) => this.receive(event));
    this.#mirror = new RunMirror(ports, claimed.state, claimed.onMirrorFault ?? (() => undefined));
  }

  get state(): Readonly<RunState> {
    return this.#state;
  }

  /** For what thaws its sessions. */
  get owned(): OwnedRun {
    return ownedRun(this.#state, this.#claimed.epoch, (byMs) =>
      this.receive({ type: "ClockJumped", data: { byMs, cause: "frozen", ...this.#clock.read() } }),
    );
  }

  /** Takes an event into the next turn. Resolves when it is durable, or when this owner has ended. */
  receive(event: RunEvent, rowId: string | null = null): Promise<void> {
    return new Promise((durable) => {
      if (this.#isOver) durable();
      this.#queue.push({ event, rowId, durable });
      this.poke();
    });
  }

  /** Something may have changed: look. */
  poke(): void {
    this.#poked = true;
    this.#wake?.();
  }

  /** New mail may be in the inbox. */
  async checkMail(): Promise<void> {
    try {
      for (const row of await this.#ports.journal.inbox(this.#state.run)) this.#takeRow(row);
    } catch (error) {
      this.#fault = asFault(error);
      this.poke();
    }
  }

  /**
   * Lets go. Sessions of their own go on without an owner; an agent inside this process cannot, so it is ended politely
   * and its run paused as `supervisor_restart`, which the next supervisor wakes. That has a bound (I7).
   */
  stop(): void {
    if (this.#stopping || this.#restarting) return;
    if (this.#state.status === "running" && worksInside(this.#state, this.#ports.drivers)) {
      this.#restarting = true;
      void this.receive({ type: "RunStopping", data: { to: "paused", stop: "supervisor_restart" } });
      this.#cancelRestart = this.#ports.world.timer(RESTART_WAIT_MS, () => this.#letGo());
    } else this.#letGo();
  }

  #letGo(): void {
    this.#stopping = true;
    this.poke();
  }

  /** Ends the run's sessions, puts it to rest as `shutdown`, and only then lets go; the next supervisor wakes it. */
  stopAgents(): void {
    if (this.#leaving === "stop_agents") return;
    this.#leaving = "stop_agents";
    this.#leave();
    this.poke();
  }

  /** The store is stopped: the run's own rules suspend its sessions, and it is let go when none is left. */
  leaveWhenIdle(): void {
    this.#leaving ??= "store_stopped";
    this.poke();
  }

  #leave(): void {
    for (const event of leavingEvents(this.#state, this.#leaving)) void this.receive(event);
  }

  async work(): Promise<OwnerEnd> {
    try {
      await this.checkMail();
      // It waited for this host, or its files are where they are needed by now.
      const isHome = isAway(this.#state) && this.#claimed.away !== true;
      if (this.#nothingToDo() && !wakesByItself(this.#state) && !isHome) return { kind: "at_rest" };
      const lost = await takeUpDeaths(this.#ports, this.#state, this.#claimed.epoch);
      if (lost !== null) return lost;
      if (isLeftAlone(this.#state) && this.#queue.length === 0) return { kind: "at_rest" };
      await this.#beginHearing();
      for (;;) {
        const end = await this.#turn();
        if (end !== null) return end;
        if (this.#stopping || (this.#queue.length === 0 && mayLeave(this.#state, this.#leaving)))
          return { kind: "let_go" };
        this.#leave();
        if (this.#nothingToDo()) return { kind: "at_rest" };
        await this.#untilWoken();
      }
    } finally {
      this.#unlisten();
      this.#cancelRestart();
      this.#effects.close();
      this.#listeners.close();
      this.#eyes.close();
      await this.#mirror.catchUp();
      this.#isOver = true;
      for (const { durable } of [...this.#inTurn, ...this.#queue]) durable();
    }
  }

  /** The first turn knows who owns the run, and how what it shares with others stands. */
  async #beginHearing(): Promise<void> {
    const { owner, epoch, from } = this.#claimed;
    const { host } = this.#ports.world.self;
    const missing = [...(this.#ports.missingContext?.(this.#state) ?? [])];
    const lacks = missing.length === 0 ? {} : { missing };
    const home = this.#ports.home?.();
    const where =
      home === undefined ? {} : { home, ...(this.#claimed.away === true && { away: true as const }) };
    const first: RunEvent[] = [
      { type: "RunClaimed", data: { owner, epoch, from, host, ...lacks, ...where, ...this.#clock.read() } },
      ...(await this.#resources.newsFor(this.#state, host)),
    ];
    this.#queue.unshift(...first.map((event) => ({ event, rowId: null, durable: () => undefined })));
    this.#unlisten = this.#resources.listen(this.#state, (event) => void this.receive(event));
  }

  /** Called when the run is no longer ours: what cannot outlive us must not be taken for the next owner's. */
  abandon(): void {
    for (const { agent, session } of Object.values(this.#state.attempts)) {
      const spec = this.#state.agents[agent];
      if (spec !== undefined) this.#ports.drivers.get(spec.use)?.abandon({ session, spec });
    }
  }

  #nothingToDo(): boolean {
    if (this.#queue.length > 0 || this.#fault !== null) return false;
    const { world } = this.#ports;
    return isAtRest(this.#state, world.now()) && !hasJumpedSince(world, this.#state.clockRead);
  }

  async #turn(): Promise<OwnerEnd | null> {
    if (this.#fault !== null) throw this.#fault;
    const received = (this.#inTurn = this.#queue.splice(0));
    const now = this.#ports.world.now();
    this.#decidedAt = now;
    const facts = [...this.#clock.jumps(now), ...received.map(({ event }) => event)];
    const events = takeTurnOf(this.#ports, { state: this.#state, received: facts, now });
    if (events.length > 0) {
      const consumed = received.flatMap(({ rowId }) => (rowId === null ? [] : [rowId]));
      const turn = { epoch: this.#claimed.epoch, now, consumed };
      const outcome = await this.#ports.journal.append(turnAppend(this.#state, events, turn));
      if (outcome.kind !== "appended") return { kind: outcome.kind === "fenced" ? "fenced" : "reload" };
      this.#inTurn = [];
      this.#afterAppend(received, outcome.head.hash);
    }
    this.#effects.reconcile(this.#state.run, effectsToPerform(this.#state), needsOf(this.#state));
    if (isAway(this.#state)) return null;
    this.#listeners.reconcile(this.#state);
    this.#eyes.reconcile(this.#state);
    return null;
  }

  #afterAppend(received: readonly Received[], hash: string): void {
    this.#mirror.appended();
    for (const { durable } of received) durable();
    if (this.#state.seq - this.#snapshotSeq < this.#snapshotEvery) return;
    this.#snapshotSeq = this.#state.seq;
    const state = JSON.stringify(this.#state);
    this.#snapshotEvery = Math.max(SNAPSHOT_EVERY_EVENTS, state.length / SNAPSHOT_CHARS_PER_EVENT);
    const snapshot = { seq: this.#state.seq, hash, fold: FOLD_VERSION, state };
    this.#ports.journal.saveSnapshot(this.#state.run, snapshot).catch((error: unknown) => {
      this.#fault = asFault(error);
      this.poke();
    });
  }

  /** A row stays in the inbox until an append consumes it, and a look may be older than that append: none is taken twice. */
  #takeRow(row: InboxRow): void {
    if (this.#rowsTaken.has(row.id)) return;
    this.#rowsTaken.add(row.id);
    const [oldest] = this.#rowsTaken;
    if (this.#rowsTaken.size > ROWS_REMEMBERED && oldest !== undefined) this.#rowsTaken.delete(oldest);
    void this.receive(requestOf(row, this.#state, this.#ports.principal), row.id);
  }

  async #untilWoken(): Promise<void> {
    if (this.#poked) {
      this.#poked = false;
      if (this.#queue.length > 0 || this.#stopping || this.#fault !== null) return;
    }
    const deadline = nextDeadline(this.#state, this.#decidedAt);
    await new Promise<void>((wake) => {
      this.#wake = wake;
      // Far deadlines are cut: timers beyond 24 days fire at once, and a clock may be set meanwhile.
      if (deadline === null) return;
      const delayMs = Math.min(Math.max(deadline - this.#ports.world.now(), 0), 60_000);
      const cancel = this.#ports.world.timer(delayMs, wake);
      this.#wake = () => {
        cancel();
        wake();
      };
    });
    this.#wake = null;
    this.#poked = false;
  }
}
