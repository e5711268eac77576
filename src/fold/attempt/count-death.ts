import type { EventData } from "../../model/events/events.ts";
import type { AttemptState } from "../../model/state/run-state.ts";

export type Ended = EventData<"AttemptEnded">;

/** An attempt that ended in another way begins the count again; one that got on begins the count of the quiet ones. */
export function countDeath(
  { quiet, all }: { readonly quiet: number; readonly all: number },
  { health, startedAt }: AttemptState,
  { diedWith: cause }: Ended,
): { quiet: number; all: number } {
  if (cause === undefined) return { quiet: 0, all: 0 };
  return { quiet: health.progressAt > startedAt ? 0 : quiet + 1, all: all + 1 };
}
