import type { AgentDriver } from "../agents/agent-driver.ts";
import type { Effect, EffectOutcome } from "../model/effects.ts";
import { errorText } from "../model/fault.ts";
import type { Rooms } from "./rooms.ts";

/**
 * Performs what the journal intends. It is told the whole set of open intents after every append and starts those
 * not yet under way (I3): calling it again, in this process or the next, changes nothing (I2).
 */
export class EffectRunner {
  readonly #rooms: Rooms;
  readonly #settled: (key: string, outcome: EffectOutcome) => void;
  readonly #underWay = new Set<string>();
  #closed = false;

  constructor(rooms: Rooms, settled: (key: string, outcome: EffectOutcome) => void) {
    this.#rooms = rooms;
    this.#settled = settled;
  }

  reconcile(run: string, intended: Readonly<Record<string, Effect>>): void {
    for (const key of this.#underWay) if (!Object.hasOwn(intended, key)) this.#underWay.delete(key);
    for (const [key, effect] of Object.entries(intended)) {
      if (this.#underWay.has(key)) continue;
      this.#underWay.add(key);
      void this.#perform(run, effect).then((outcome) => {
        if (!this.#closed) this.#settled(key, outcome);
      });
    }
  }

  /** Outcomes that come in later are not reported: the next owner finds the intents open and performs them again. */
  close(): void {
    this.#closed = true;
  }

  async #perform(run: string, effect: Effect): Promise<EffectOutcome> {
    const driver = this.#rooms.drivers.get(effect.spec.use);
    if (driver === undefined)
      return { kind: "failed", terminal: true, text: `no driver for "${effect.spec.use}" is available here` };
    try {
      this.#rooms.world.crashPoint(`effect.${effect.kind}.before`);
      const outcome = await performWith(driver, run, effect);
      this.#rooms.world.crashPoint(`effect.${effect.kind}.after`);
      return outcome;
    } catch (error) {
      return { kind: "failed", terminal: false, text: errorText(error) };
    }
  }
}

async function performWith(driver: AgentDriver, run: string, effect: Effect): Promise<EffectOutcome> {
  switch (effect.kind) {
    case "StartAgent": {
      const outcome = await driver.start({ ...effect, run });
      return outcome.kind === "started"
        ? { kind: "done", detail: outcome.detail }
        : { kind: "failed", text: outcome.text, terminal: outcome.terminal };
    }
    case "EndAgent": {
      const outcome = await driver.end(effect, effect.graceMs);
      return outcome.kind === "ended"
        ? { kind: "done" }
        : { kind: "failed", text: outcome.text, terminal: false };
    }
  }
}
