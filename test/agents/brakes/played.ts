import type { TestContext } from "node:test";
import type { Recorded } from "../../../src/model/events/events.ts";

/** What a cell needs of the test that plays it. */
export type CellContext = Pick<TestContext, "after" | "diagnostic">;

/** What was seen in a cell that passed. */
export interface Played {
  /** In a few words, for the table. */
  readonly did: string;
  /** Empty where no session was started. */
  readonly sandbox: string;
}

export const SANDBOXED = "in a sandbox";
/** `auto`, the default, puts agents into a sandbox that work without asking. */
const NOT_WANTED = "none wanted: it asks before it acts";

/** Whether the sessions of a run were in a sandbox, by its journal, and why not. */
export function ranIn(events: readonly Recorded[]): string {
  const starts = events.flatMap((event) =>
    event.type === "EffectSettled" && event.data.outcome.kind === "done" && event.data.outcome.sandbox
      ? [event.data.outcome.sandbox]
      : [],
  );
  const without = starts.find(({ active }) => !active);
  if (without !== undefined) return without.text;
  if (starts.length > 0) return SANDBOXED;
  return events.some(({ type }) => type === "AttemptStarted") ? NOT_WANTED : "";
}
