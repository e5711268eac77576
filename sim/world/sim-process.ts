import type { Journal } from "../../src/journal/journal.ts";
import { Fault } from "../../src/model/fault.ts";
import type { Liveness, ProcessIdentity, World } from "../../src/model/world.ts";
import type { Faults } from "../faults/sim-faults.ts";
import type { SimTime } from "./sim-time.ts";

/** A promise of its own each time: one for all would keep everybody who ever waited for it. */
const never = (): Promise<never> => new Promise(() => undefined);

/** What simulated processes share. */
export interface SimMachine {
  readonly time: SimTime;
  readonly chance: () => number;
  readonly faults: () => Faults;
  readonly processes: SimProcess[];
  /** Work is bounded: a process that asks the disk more often than that is spinning. */
  readonly callsPerMinuteMax: number;
  /** Broken promises that show while time passes. */
  readonly violations: string[];
}

/**
 * One life of a simulated process: alive, standing still (until `stillUntil`), or dead for ever.
 *
 * 1. After its death nothing of it happens any more: no timer fires, no answer arrives, no call has an effect.
 * 2. While it stands still timers and answers wait; what it had under way on the disk has happened all the same.
 */
export class SimProcess {
  readonly world: World;
  readonly identity: ProcessIdentity;
  alive = true;
  stillUntil = 0;
  /** How far its clock is off. */
  skewMs = 0;
  readonly #machine: SimMachine;
  readonly #minute = { at: 0, calls: 0 };
  readonly #atDeath: (() => void)[] = [];

  constructor(machine: SimMachine, host: string) {
    this.#machine = machine;
    const pid = machine.processes.push(this);
    this.identity = { host, pid, startedAt: String(pid) };
    const { time, chance } = machine;
    this.world = {
      self: this.identity,
      now: () => time.now + this.skewMs,
      steady: () => ({ clock: host, ms: time.now }),
      clock: () => ({ boot: host, at: time.now + this.skewMs, runMs: time.now, upMs: time.now }),
      chance,
      id: (prefix) =>
        `${prefix}_${Math.floor(chance() * 2 ** 48)
          .toString(36)
          .padStart(10, "0")}`,
      timer: (delayMs, fire) => this.timer(delayMs, fire),
      liveness: (of) => this.#livenessOf(of),
      crashPoint: () => {
        this.#maybeDie();
      },
    };
  }

  timer(delayMs: number, fire: () => void): () => void {
    let cancelled = false;
    const due = (): void => {
      if (!this.alive || cancelled) return;
      if (this.#machine.time.now < this.stillUntil)
        this.#machine.time.schedule(this.stillUntil - this.#machine.time.now, due);
      else fire();
    };
    const cancel = this.#machine.time.schedule(delayMs, due);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  onDeath(act: () => void): void {
    this.#atDeath.push(act);
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const act of this.#atDeath) act();
  }

  /** An answer from outside reaches a living process, later if it stands still, and a dead one never. */
  async hears<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const arrive = async (): Promise<void> => {
      while (this.alive && this.#machine.time.now < this.stillUntil)
        await this.#machine.time.sleep(this.stillUntil - this.#machine.time.now);
      if (!this.alive) await never();
    };
    try {
      const value = await answer;
      await arrive();
      return value;
    } catch (error) {
      await arrive();
      throw error;
    }
  }

  /** The process's own handle on a journal: its calls stop with its life, and strike the faults of the disk. */
  journal(inner: Journal): Journal {
    const call =
      <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
      (...args: Args): Promise<Result> =>
        this.alive && !this.#spins() ? this.hears(method(...args)) : never();
    const handle: Journal = {
      append: call(async (order) => {
        await this.#disk("appendFails");
        const outcome = await inner.append(order);
        this.#strike("answerLost", "the answer to the append was lost");
        return outcome;
      }),
      read: call((run, page) => inner.read(run, page)),
      readApart: call((event, digests) => inner.readApart(event, digests)),
      readStored: call((run, page) => inner.readStored(run, page)),
      head: call((run) => inner.head(run)),
      runs: call((filter) => inner.runs(filter)),
      saveSnapshot: call((run, snapshot) => inner.saveSnapshot(run, snapshot)),
      loadSnapshot: call((run, fold) => inner.loadSnapshot(run, fold)),
      remove: call((order) => inner.remove(order)),
      rewrite: call((order) => inner.rewrite(order)),
      mailTexts: call((address) => inner.mailTexts(address)),
      traces: call((texts) => inner.traces(texts)),
      purge: call((what) => inner.purge(what)),
      ask: call((row) => inner.ask(row)),
      inbox: call((address) => inner.inbox(address)),
      addressesWithMail: call(() => inner.addressesWithMail()),
      consume: call((address, ids) => inner.consume(address, ids)),
      claim: call((address, owner) => inner.claim(address, owner)),
      takeOver: call((address, owner, seen) => inner.takeOver(address, owner, seen)),
      lease: call((address) => inner.lease(address)),
      holders: call(() => inner.holders()),
      release: call((address, epoch) => inner.release(address, epoch)),
      beat: call((owner) => inner.beat(owner)),
      sighting: call((owner, observer) => inner.sighting(owner, observer)),
      noteSighting: call((sighting, lease) => inner.noteSighting(sighting, lease)),
      watch: (changed) => this.#watch(inner, changed),
      verify: call(() => inner.verify()),
      close: call(() => inner.close()),
    };
    return handle;
  }

  #spins(): boolean {
    const at = Math.floor(this.#machine.time.now / 60_000);
    this.#minute.calls = this.#minute.at === at ? this.#minute.calls + 1 : 1;
    this.#minute.at = at;
    if (this.#minute.calls <= this.#machine.callsPerMinuteMax) return false;
    this.#machine.violations.push(
      `process ${String(this.identity.pid)} spins: it does not stop asking the disk`,
    );
    this.kill();
    return true;
  }

  #watch(inner: Journal, changed: () => void): () => void {
    const unwatch = inner.watch(() => {
      if (!this.alive) return;
      if (this.#machine.time.now < this.stillUntil)
        this.timer(this.stillUntil - this.#machine.time.now, changed);
      else changed();
    });
    this.onDeath(unwatch);
    return unwatch;
  }

  async #disk(fault: "appendFails"): Promise<void> {
    const { time, chance, faults } = this.#machine;
    if (chance() < faults().slowDisk) await time.sleep(chance() * 3_000);
    this.#strike(fault, "no space left");
  }

  #strike(fault: "appendFails" | "answerLost", text: string): void {
    if (this.#machine.chance() < this.#machine.faults()[fault])
      throw new Fault(fault === "appendFails" ? "store_full" : "store_failed", `simulated: ${text}`, {
        retry: "later",
      });
  }

  /** Another host's processes cannot be looked at: about them nothing is known. */
  #livenessOf(of: ProcessIdentity): Liveness {
    if (of.host !== this.identity.host) return "unknown";
    if (this.#machine.chance() < this.#machine.faults().probeFails) return "unknown";
    return this.#machine.processes[of.pid - 1]?.alive === true ? "alive" : "gone";
  }

  #maybeDie(): void {
    const { chance, faults } = this.#machine;
    if (this.alive && chance() >= faults().killAtPoint) return;
    this.kill();
    throw new Fault("closed", "simulated: killed at a durable boundary");
  }
}
