import type { System } from "../../main.ts";
import { troubledResources, type SharedResourceView } from "../../views/status/status-shared-resources.ts";
import type { Invocation } from "../shell/invocation.ts";

/** What nothing is started on now, each with the command that ends its pause. */
export async function pausedResources(call: Invocation, system: System): Promise<SharedResourceView[]> {
  const shown = troubledResources(await system.loadGrounds(), system.ports.world.now(), call.store.named);
  return shown.filter(({ state }) => state === "paused");
}
