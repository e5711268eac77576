import type { TreeLimits } from "./loop/body.ts";
import { Holdfast } from "./loop/holdfast.ts";
import { checkLimits } from "./loop/tree-limits.ts";
import { hostSettingsSchema } from "./model/settings.ts";
import { openStore } from "./open-store.ts";
import { crashOptionsFrom, realWorld } from "./real-world.ts";
import { Leases } from "./runtime/leases.ts";

export interface HoldfastOptions {
  /** `sqlite:PATH` (a file is all that is needed), `postgres://…`, or `memory:`. */
  readonly store: string;
  /** How far the tree of children of every run may grow. */
  readonly limits?: Partial<TreeLimits>;
}

/** Opens a store for bodies: durable by default, no server, no configuration. */
export async function openHoldfast({ store, limits = {} }: HoldfastOptions): Promise<Holdfast> {
  checkLimits(limits);
  const world = realWorld(crashOptionsFrom(process.env));
  const { journal } = await openStore(store, world);
  const leaseMs = hostSettingsSchema.parse({}).lease.ms;
  const leases = new Leases(journal, world, leaseMs);
  return new Holdfast({ journal, world, leases, leaseMs, limits, close: () => journal.close() });
}
