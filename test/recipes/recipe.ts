import type { TreeCopy } from "./tree-copy.ts";

/** A part of CONTRIBUTING.md that tells how to add something, followed as it is written. */
export interface Recipe {
  /** The heading there. */
  readonly heading: string;
  /** Its numbered steps, in their order. */
  readonly steps: readonly ((copy: TreeCopy) => void)[];
  /** Files in which the compiler must have asked for the rest once the first step was done. */
  readonly asked: readonly string[];
  /** Tests of the copy that must pass with it, and fail or not exist without. */
  readonly tests: readonly string[];
}
