import type { TreeLimits } from "./loop/body.ts";
import { Holdfast } from "./loop/holdfast.ts";
import { checkLimits } from "./loop/tree-limits.ts";
import { Fault } from "./model/fault.ts";
import { hostSettingsSchema } from "./model/settings.ts";
import { openStore } from "./open-store.ts";
import { crashOptionsFrom, realWorld } from "./real-world.ts";
import { Leases } from "./runtime/leases.ts";

export interface HoldfastOptions {
  /** `sqlite:PATH` (a file is all that is needed), `postgres://…`, or `memory:`. */
  readonly store: string;
  /** How far the tree of children of every run may grow. */
  readonly limits?: Partial<TreeLimits>;
  /** Values (results, parts of a loop's state, inputs) whose JSON text is longer are kept apart and once; 65,536 unless said. */
  readonly largeChars?: number;
}

const LARGE_CHARS_MIN = 1_024;

/** Opens a store for bodies: durable by default, no server, no configuration. */
export async function openHoldfast({ store, limits = {}, largeChars }: HoldfastOptions): Promise<Holdfast> {
  checkLimits(limits);
  checkLargeChars(largeChars);
  const world = realWorld(crashOptionsFrom(process.env));
  const { journal } = await openStore(store, world, largeChars === undefined ? {} : { largeChars });
  const leaseMs = hostSettingsSchema.parse({}).lease.ms;
  const leases = new Leases(journal, world, leaseMs);
  return new Holdfast({ journal, world, leases, leaseMs, limits, close: () => journal.close() });
}

function checkLargeChars(chars: number | undefined): void {
  if (chars === undefined || (Number.isSafeInteger(chars) && chars >= LARGE_CHARS_MIN)) return;
  throw new Fault(
    "usage",
    `largeChars is ${String(chars)}; expected a whole number of characters, at least ${String(LARGE_CHARS_MIN)}`,
  );
}
