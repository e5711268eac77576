import { PeerWatch, type PeerOptions } from "./peer-watch.ts";
import { watchdogAddress } from "./host-addresses.ts";
import type { Rooms } from "./rooms.ts";

export type SiblingOptions = Pick<PeerOptions, "hands" | "say">;

/** Keeps the sibling that watches this supervisor alive, until the returned function is called. */
export function keepWatchdog(
  rooms: Pick<Rooms, "journal" | "world" | "settings">,
  { hands, say }: SiblingOptions,
): () => void {
  const address = watchdogAddress(rooms.world.self);
  const watch = new PeerWatch(rooms, { address, hands, say, patience: { goneMs: 0, releasedMs: 0 } });
  let over = false;
  let cancel = (): void => undefined;
  // A look that fails is left to the supervisor, whose own next look fails in the same way and ends it.
  const again = (): void => {
    if (!over) cancel = rooms.world.timer(watch.pauseMs, next);
  };
  const next = (): void => void watch.look().then(again, again);
  next();
  return () => {
    over = true;
    watch.close();
    cancel();
  };
}
