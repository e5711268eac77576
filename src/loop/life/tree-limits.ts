import type { ProgramLimits } from "../../model/state/program-state.ts";
import { Fault } from "../../model/fault.ts";
import type { TreeLimits } from "../workflow-function.ts";

const DEFAULTS: TreeLimits = { depth: 4, children: 10_000 };

export function checkLimits(limits: Partial<TreeLimits>): Partial<TreeLimits> {
  for (const [name, value] of Object.entries(limits as Record<string, unknown>)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new Fault("usage", `there is no limit "${name}"; limits are ${Object.keys(DEFAULTS).join(", ")}`);
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
      throw new Fault("usage", `limits.${name} is ${String(value)}; expected a whole number above 0`);
  }
  return limits;
}

/** The nearest word counts: this call's, else what the run was begun with, else the store's, else the default. */
export const treeLimits = (...nearestFirst: (ProgramLimits | undefined)[]): TreeLimits => ({
  depth: nearestFirst.find((limits) => limits?.depth !== undefined)?.depth ?? DEFAULTS.depth,
  children: nearestFirst.find((limits) => limits?.children !== undefined)?.children ?? DEFAULTS.children,
});

/** A tree that grows without end is stopped, with what to do about it. */
export function checkRoom(
  { depth, children }: TreeLimits,
  child: { readonly name: string; readonly depth: number; readonly number: number },
): void {
  if (child.depth > depth)
    throw new Fault(
      "usage",
      `the child "${child.name}" would be ${String(child.depth)} deep; at most ${String(depth)} are allowed: call the function itself, or raise limits.depth of hf.run or openHoldfast`,
    );
  if (child.number > children)
    throw new Fault(
      "usage",
      `the child "${child.name}" would be number ${String(child.number)} of its scope; at most ${String(children)} are allowed: spawn them in groups, or raise limits.children of hf.run or openHoldfast`,
    );
}
