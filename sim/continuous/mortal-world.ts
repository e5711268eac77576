import type { Liveness, ProcessIdentity, World } from "../../src/model/world.ts";

/** Thrown where the process dies: nothing of it happens any more. */
export class Died extends Error {}

/** What all processes of one simulated store share. */
export interface Shared {
  now: number;
  readonly chance: () => number;
  /** How likely a process dies at each boundary that it passes. */
  readonly deathChance: number;
  readonly dead: Set<string>;
  processes: number;
  deaths: number;
}

/** The world of one process that may die at every boundary; `isMortal` false: of the people and agents around it. */
export function mortalWorld(shared: Shared, isMortal: boolean): World {
  shared.processes += 1;
  const self: ProcessIdentity = { host: "sim", pid: shared.processes, startedAt: String(shared.processes) };
  return {
    self,
    now: () => shared.now,
    chance: shared.chance,
    id: (prefix) => `${prefix}_${Math.floor(shared.chance() * 2 ** 48).toString(36)}`,
    timer: (delayMs, fire) => {
      shared.now += delayMs;
      queueMicrotask(fire);
      return () => undefined;
    },
    liveness: ({ startedAt }): Liveness => (shared.dead.has(startedAt) ? "gone" : "alive"),
    crashPoint: () => {
      // Of a dead process nothing happens any more, also not what it would have cleaned up.
      if (shared.dead.has(self.startedAt)) throw new Died();
      if (!isMortal || shared.chance() >= shared.deathChance) return;
      shared.dead.add(self.startedAt);
      shared.deaths += 1;
      throw new Died();
    },
  };
}
