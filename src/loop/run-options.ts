import type { Journal } from "../journal/journal.ts";
import type { Budget } from "../model/requests/budget.ts";
import type { World } from "../model/world.ts";
import type { Leases } from "../runtime/leases.ts";
import type { TreeLimits } from "./workflow-function.ts";
import type { SharedWait } from "./cooldown.ts";
import type { ErrorClasses } from "./scope/step-error.ts";
import type { WaitOptions } from "./life/wait-for-lease.ts";

export interface RunOptions<Input> extends WaitOptions {
  readonly input?: Input;
  /** Counted from the run's beginning; `hf.setBudget` changes it later. */
  readonly budget?: Budget;
  /** Remembered with the run. */
  readonly limits?: Partial<TreeLimits>;
}

/** What `hf.start` takes. */
export interface StartOptions extends Pick<RunOptions<unknown>, "input" | "budget" | "limits"> {
  /** The version of the function; the newest one defined here unless said. */
  readonly version?: number;
}

/**
 * What `hf.run` takes after the workflow function: its input may be left out only where the workflow function does
 * without.
 */
export type RunArguments<Input> = [null] extends [Input]
  ? [options?: RunOptions<Input>]
  : [undefined] extends [Input]
    ? [options?: RunOptions<Input>]
    : [options: RunOptions<Input> & { readonly input: Input }];

export interface HoldfastPorts {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
  readonly leaseMs: number;
  readonly limits: Partial<TreeLimits>;
  /** Errors of these classes come back as what they were. */
  readonly errors?: ErrorClasses;
  /** Shares waits for providers with other processes; without it they are shared within this one. */
  readonly sharedWait?: SharedWait;
  close(): Promise<void>;
}
