import { z } from "zod";
import type { Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { HandlerContext } from "./handler-context.ts";

const WINDOW_MAX = 2_000;
const seq = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 40);

export const windowQuery = z.object({
  before: seq.optional().describe("The window ends before this event; left out, it ends with the last one."),
  limit: z.coerce.number().int().min(1).max(WINDOW_MAX).default(500).describe("How many events it holds."),
});

export const windowAnswer = z.object({
  run: z.string(),
  fromSeq: z.number().describe("The first event of the window."),
  toSeq: z.number().describe("Its last event."),
  head: z.number().describe("The run's last event."),
  before: z.number().nullable().describe("Ask with it for the window before; null at the beginning."),
});

export interface JournalWindow {
  readonly page: z.infer<typeof windowAnswer>;
  readonly events: readonly Recorded[];
  /** Where the window reaches to the run's last event. */
  readonly state: RunState | null;
}

/** A part of a journal by its end: what it costs depends on its size, not on how long the run is. */
export async function journalWindow(
  { operations: { journal, findRun, loadRun } }: HandlerContext,
  text: string,
  { before, limit }: z.infer<typeof windowQuery>,
): Promise<JournalWindow> {
  const run = await findRun(text);
  const head = (await journal.head(run))?.seq ?? 0;
  const end = Math.min(head, (before ?? head + 1) - 1);
  const after = Math.max(0, end - limit);
  const events = end > after ? await journal.read(run, { after, limit: end - after, leaveApart: true }) : [];
  const state = end === head ? await loadRun(run) : null;
  const page = {
    run,
    fromSeq: after + 1,
    toSeq: events.at(-1)?.seq ?? after,
    head,
    before: after > 0 ? after + 1 : null,
  };
  return { page, events, state };
}
