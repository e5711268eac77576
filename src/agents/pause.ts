import type { World } from "../model/world.ts";

export const pause = (world: World, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    world.timer(delayMs, resolve);
  });
