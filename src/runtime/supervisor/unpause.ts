import { pause } from "../ports.ts";
import { evolveSharedResource } from "../../decide/resources/evolve-shared-resource.ts";
import { liftPause, type Lift } from "../../decide/resources/decide-shared-resource.ts";
import type { Journal } from "../../journal/journal.ts";
import { Fault } from "../../model/fault.ts";
import type { SharedResourceState } from "../../model/host/shared-resource.ts";
import type { World } from "../../model/world.ts";
import { readSharedResource } from "../shared-resources.ts";
import type { Leases } from "../leases.ts";

const TRIES_MAX = 100;
const BUSY_WAIT_MS = 50;

/**
 * Ends the pause of a shared resource because a person says so. Answers whether there was one.
 *
 * On disk: one append to the journal of the resource, under a lease held for it alone. A kill before it changes nothing;
 * after it every supervisor finds the resource open. To ask twice is to ask once.
 */
export async function unpause(
  { journal, world, leases }: { journal: Journal; world: World; leases: Leases },
  resource: string,
  order: Lift,
): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const taken = await leases.take(resource);
    if (taken.kind === "taken") {
      try {
        const lifted = await lift({ journal, world }, await readSharedResource(journal, resource), {
          epoch: taken.epoch,
          order,
        });
        if (lifted !== null) return lifted;
      } finally {
        await leases.release(resource, taken.epoch);
      }
    }
    await pause(world, BUSY_WAIT_MS);
  }
  throw new Fault("store_busy", `another process holds the journal of ${resource}; try again`);
}

/** Null where somebody wrote at the same moment. */
async function lift(
  { journal, world }: { journal: Journal; world: World },
  state: SharedResourceState,
  { epoch, order }: { readonly epoch: number; readonly order: Lift },
): Promise<boolean | null> {
  const events = liftPause(state, order);
  if (events.length === 0) return false;
  const at = world.now();
  const expected = state.seq;
  for (const event of events) evolveSharedResource(state, event, { seq: state.seq + 1, at });
  world.crashPoint("unpause.append.before");
  const outcome = await journal.append({
    run: state.ground,
    expected,
    epoch,
    at,
    events,
    listing: { status: "completed", goal: state.ground, wakeAt: null },
  });
  world.crashPoint("unpause.append.after");
  return outcome.kind === "appended" ? true : null;
}
