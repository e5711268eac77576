import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { StoreStop } from "../../model/host/store-resource.ts";
import { stopText, storeView, type StoreView } from "../../views/status/store-view.ts";
import type { Invocation } from "../shell/invocation.ts";

/** How the store stands where that keeps its runs from working; null otherwise. */
export const storeStanding = async (call: Invocation, system: System): Promise<StoreView | null> =>
  storeView(await system.store.standing(), call.store.named, system.ports.world.now());

/** Nothing is started while the store is stopped. */
export async function refuseIfStopped(call: Invocation, system: System): Promise<void> {
  const { stop } = await system.store.standing();
  if (stop !== null) throw storeStopped(call, stop);
}

export const storeStopped = (call: Invocation, stop: StoreStop): Fault =>
  new Fault("refused", `${stopText(stop)}; continue with ${call.command("start")}`, {
    details: { stoppedBy: stop.by, since: isoTime(stop.at), command: call.command("start") },
  });
