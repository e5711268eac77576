import type { ProgramError } from "../../model/events/program-events.ts";
import { noteRecorded } from "../life/program-error.ts";
import { recordedError, restoredError, type ErrorClasses } from "./step-error.ts";

const LOOKED_AT_MAX = 10_000;

/** The errors of one life: as they are recorded, as they are thrown, and of which steps and children they speak. */
export class Failures {
  readonly #classes: ErrorClasses;
  readonly #keys = new WeakMap<Error, readonly string[]>();

  constructor(classes: ErrorClasses) {
    this.#classes = classes;
  }

  record(error: unknown): ProgramError {
    return recordedError(error, this.#classes);
  }

  /** What every life is given of an error; only where it was thrown is known to the process in which it happened. */
  restore(error: ProgramError, original?: unknown): Error {
    return restoredError(error, this.#classes, original instanceof Error ? original.stack : undefined);
  }

  /**
   * The same for the failure of a step or child; remembered, so that a workflow function that fails of it can be traced
   * to it.
   */
  of(key: string, error: ProgramError, original?: unknown): Error {
    const thrown = this.restore(error, original);
    noteRecorded(thrown);
    const inner = this.keysIn(original);
    this.#keys.set(thrown, inner.length === 0 ? [key] : inner);
    return thrown;
  }

  /** The steps and children that an error speaks of: its own, those that it wraps, those that it gathers. */
  keysIn(error: unknown): readonly string[] {
    const found = new Set<string>();
    const seen = new Set<unknown>();
    // A list of its own: errors that wrap each other thousands of times must not fill the stack.
    const open = [error];
    while (open.length > 0 && seen.size <= LOOKED_AT_MAX) {
      const one = open.pop();
      if (!(one instanceof Error) || seen.has(one)) continue;
      seen.add(one);
      const keys = this.#keys.get(one);
      for (const key of keys ?? []) found.add(key);
      if (keys !== undefined) continue;
      const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: unknown };
      open.push(
        ...(Array.isArray(errors) ? (errors as unknown[]).slice(0, LOOKED_AT_MAX).toReversed() : []),
        cause,
      );
    }
    return [...found];
  }
}
