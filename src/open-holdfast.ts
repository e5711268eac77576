import type { TreeLimits } from "./loop/workflow-function.ts";
import { checkKeys, misused, shown } from "./loop/check-run-options.ts";
import { Holdfast } from "./loop/holdfast.ts";
import { ErrorClasses, type ErrorClass } from "./loop/scope/step-error.ts";
import { checkLimits } from "./loop/life/tree-limits.ts";
import { Fault } from "./model/fault.ts";
import { hostSettingsSchema } from "./model/settings/settings.ts";
import { openStore } from "./open-store.ts";
import { worldHere } from "./real-world.ts";
import { sharedWait } from "./shared-wait.ts";
import { Leases } from "./runtime/leases.ts";

export interface HoldfastOptions {
  /** `sqlite:PATH` (a file is all that is needed), `postgres://…`, or `memory:`. */
  readonly store: string;
  /** How far the tree of children of every run may grow. */
  readonly limits?: Partial<TreeLimits>;
  /** Values (results, parts of a loop's state, inputs) whose JSON text is longer are kept apart and once; 65,536 unless said. */
  readonly largeChars?: number;
  /** A process that shows no sign of life for this long is taken to be dead, and its runs are taken over; 30,000 unless said. */
  readonly leaseMs?: number;
  /** Classes whose errors come back as objects of that class; the errors of others come back as a `StepError`. */
  readonly errors?: readonly ErrorClass[];
}

const OPTIONS = ["store", "limits", "largeChars", "leaseMs", "errors"];
const LARGE_CHARS_MIN = 1_024;
/** Beats come at a third of it, and a busy process may be late. */
const LEASE_MS_MIN = 1_000;

/** Opens a store for workflow functions: durable by default, no server, no configuration. */
export async function openHoldfast(options: HoldfastOptions): Promise<Holdfast> {
  checkKeys("openHoldfast", options, OPTIONS);
  if (typeof options?.store !== "string")
    throw misused("openHoldfast", `${shown(options?.store)} as its store`, '{ store: "sqlite:./agents.db" }');
  const { store, limits = {}, largeChars, leaseMs = hostSettingsSchema.parse({}).lease.ms } = options;
  checkLimits(limits);
  checkCount({ name: "largeChars", of: "characters", min: LARGE_CHARS_MIN, value: largeChars });
  checkCount({ name: "leaseMs", of: "milliseconds", min: LEASE_MS_MIN, value: leaseMs });
  const errors = new ErrorClasses(options.errors);
  const world = worldHere();
  const { journal } = await openStore(store, world, largeChars === undefined ? {} : { largeChars });
  const leases = new Leases(journal, world, leaseMs);
  const shared = sharedWait({ journal, world, leases });
  const close = (): Promise<void> => journal.close();
  return new Holdfast({ journal, world, leases, leaseMs, limits, errors, sharedWait: shared, close });
}

interface Counted {
  readonly name: string;
  readonly of: string;
  readonly min: number;
  readonly value: number | undefined;
}

function checkCount({ name, of, min, value }: Counted): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  throw new Fault(
    "usage",
    `${name} is ${String(value)}; expected a whole number of ${of}, at least ${String(min)}`,
  );
}
