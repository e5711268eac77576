import { Holdfast } from "./loop/holdfast.ts";
import { hostSettingsSchema } from "./model/settings.ts";
import { openStore } from "./open-store.ts";
import { crashOptionsFrom, realWorld } from "./real-world.ts";
import { Leases } from "./runtime/leases.ts";

export interface HoldfastOptions {
  /** `sqlite:PATH` (a file is all that is needed), `postgres://…`, or `memory:`. */
  readonly store: string;
}

/** Opens a store for bodies: durable by default, no server, no configuration. */
export async function openHoldfast({ store }: HoldfastOptions): Promise<Holdfast> {
  const world = realWorld(crashOptionsFrom(process.env));
  const { journal } = await openStore(store, world);
  const leaseMs = hostSettingsSchema.parse({}).lease.ms;
  const leases = new Leases(journal, world, leaseMs);
  return new Holdfast({ journal, world, leases, leaseMs, close: () => journal.close() });
}
