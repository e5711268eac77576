import type { World } from "../model/world.ts";
import { mirrorTasks } from "./human-tasks.ts";
import type { Mirrors } from "./notifier.ts";
import { mirrorStatus } from "./status-mirror.ts";

export const fileMirrors = (world: World): Mirrors => ({
  tasks: (mirror) => mirrorTasks(world, mirror),
  status: (mirror) => mirrorStatus(world, mirror),
});
