import type { World } from "../../src/model/world.ts";

/** Stores need little of a world: who they are, and an id for their handle. */
export const benchWorld: World = {
  self: { host: "bench", pid: process.pid, startedAt: "0" },
  now: () => Date.now(),
  chance: () => Math.random(),
  id: (prefix) => `${prefix}_${Math.random().toString(36).slice(2)}`,
  timer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
  liveness: () => "unknown",
  crashPoint: () => undefined,
};
