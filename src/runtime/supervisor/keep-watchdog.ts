import { PeerWatch, type PeerOptions } from "./peer-watch.ts";
import { watchdogAddress } from "./host-addresses.ts";
import type { Ports } from "../ports.ts";

export type SiblingOptions = Pick<PeerOptions, "hands" | "say">;

/** Keeps the sibling that watches this supervisor alive, until the returned function is called. */
export function keepWatchdog(
  ports: Pick<Ports, "journal" | "world" | "settings">,
  { hands, say }: SiblingOptions,
): () => void {
  const address = watchdogAddress(ports.world.self);
  const watch = new PeerWatch(ports, { address, hands, say, patience: { goneMs: 0, releasedMs: 0 } });
  let over = false;
  let cancel = (): void => undefined;
  // A look that fails is left to the supervisor, whose own next look fails in the same way and ends it.
  const again = (): void => {
    if (!over) cancel = ports.world.timer(watch.pauseMs, next);
  };
  const next = (): void => void watch.look().then(again, again);
  next();
  return () => {
    over = true;
    watch.close();
    cancel();
  };
}
