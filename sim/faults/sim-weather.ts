import type { Signal } from "../../src/model/agent/signals.ts";
import type { SimAgents, SimSession } from "../agents/sim-agents.ts";
import type { SimMachine } from "../world/sim-process.ts";

const MINUTE = 60_000;

/** What befalls many at once: an account that meets its limit, a host on which everything dies, a repository that breaks. */
export class SimWeather {
  readonly #machine: SimMachine;
  readonly #agents: SimAgents;
  #brokenUntil = -Infinity;
  #limit: { readonly until: number; readonly named: boolean } | null = null;

  constructor(machine: SimMachine, agents: SimAgents) {
    this.#machine = machine;
    this.#agents = agents;
    const { meanOpenMs, meanWholeMs, meanMendedMs } = machine.faults();
    if (Math.min(meanOpenMs, meanWholeMs, meanMendedMs) < Infinity) this.#tick();
  }

  /** What is made ready or checked in the repository now fails. */
  isRepositoryBroken(): boolean {
    const { time, faults } = this.#machine;
    return time.now < this.#brokenUntil && faults().meanMendedMs < Infinity;
  }

  /** What an agent hears of its provider that starts now; null where it is let in. */
  refusal({ order }: Pick<SimSession, "order">): Signal[] | null {
    const { time, faults } = this.#machine;
    const limit = this.#limit;
    const isOpen = limit === null || time.now >= limit.until || faults().meanOpenMs === Infinity;
    return isOpen || order.spec.account === undefined ? null : refused(limit);
  }

  #tick(): void {
    const { time, chance, faults } = this.#machine;
    time.schedule(MINUTE, () => {
      if (chance() < MINUTE / faults().meanOpenMs) this.#close();
      if (chance() < MINUTE / faults().meanWholeMs) this.#killAll();
      if (chance() < MINUTE / faults().meanMendedMs)
        this.#brokenUntil = time.now + MINUTE * (2 + chance() * 40);
      this.#tick();
    });
  }

  /** Some at work are refused at once, the others when they ask next. */
  #close(): void {
    const { time, chance } = this.#machine;
    this.#limit = { until: time.now + MINUTE * (2 + chance() * 40), named: chance() < 0.5 };
    for (const session of this.#agents.alive())
      if (session.order.spec.account !== undefined && chance() < 0.5)
        session.cut(time.now, refused(this.#limit));
  }

  #killAll(): void {
    const { time } = this.#machine;
    for (const session of this.#agents.alive())
      session.cut(time.now, [{ kind: "exit", how: "signal", signal: "SIGKILL" }]);
  }
}

/** The words are those of a provider's refusal that the checkers know. */
const refused = ({ until, named }: { readonly until: number; readonly named: boolean }): Signal[] => [
  { kind: "rate_limit", text: "simulated: slow down", ...(named ? { resetsAt: until } : {}) },
  { kind: "error", text: "simulated: slow down", terminal: false, status: 429 },
  { kind: "exit", how: "code", code: 1 },
];
