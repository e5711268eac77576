import type { System } from "../main.ts";
import { troubledGrounds, type GroundView } from "../views/status-grounds.ts";
import type { Invocation } from "./invocation.ts";

/** What nothing is started on now, each with the command that ends its pause. */
export async function pausedResources(call: Invocation, system: System): Promise<GroundView[]> {
  const shown = troubledGrounds(await system.loadGrounds(), system.rooms.world.now(), call.store.named);
  return shown.filter(({ state }) => state === "paused");
}
