import type { Reader } from "../../open-reader.ts";
import { troubledResources, type SharedResourceView } from "../../views/status/status-shared-resources.ts";
import type { Invocation } from "../shell/invocation.ts";

/** What nothing is started on now, each with the command that ends its pause. */
export async function pausedResources(call: Invocation, system: Reader): Promise<SharedResourceView[]> {
  const shown = troubledResources(
    await system.loadSharedResources(),
    system.ports.world.now(),
    call.store.named,
  );
  return shown.filter(({ state }) => state === "paused");
}
