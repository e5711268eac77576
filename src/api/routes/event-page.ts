import { z } from "zod";
import { EVENT_TYPES, type Recorded } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";

const seq = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 40);

export const eventsQuery = z.object({
  after: seq.optional().describe("Events behind this one, oldest first."),
  before: seq.optional().describe("The last events before this one, oldest first."),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
  type: z
    .string()
    .max(1_000)
    .optional()
    .describe("Only these types, with commas between them, of the events of the page."),
});

/** One page of a journal: it costs what the page holds, however long the run is. Without a place: the first. */
export async function eventPage(
  { operations: { journal, findRun } }: HandlerContext,
  text: string,
  { after, before, limit, type }: z.infer<typeof eventsQuery>,
): Promise<HandlerAnswer> {
  if (after !== undefined && before !== undefined)
    throw new Fault("usage", "after and before are given; expected one of them");
  const types = type === undefined ? null : knownTypes(type);
  const run = await findRun(text);
  const head = (await journal.head(run))?.seq ?? 0;
  const from = before === undefined ? (after ?? 0) : Math.max(0, before - 1 - limit);
  const count = before === undefined ? limit : Math.min(limit, before - 1 - from);
  const read = count < 1 ? [] : await journal.read(run, { after: from, limit: count });
  const last = read.at(-1)?.seq ?? from;
  const events = read.filter((event) => types === null || types.has(event.type)).map(shown);
  const document = {
    run,
    events,
    head,
    after: last < head ? last : null,
    before: from > 0 ? from + 1 : null,
  };
  return { kind: "document", document };
}

export const shown = ({ run, seq: at, at: when, type, data, hash }: Recorded) => ({
  run,
  seq: at,
  at: when,
  type,
  data,
  hash,
});

function knownTypes(text: string): ReadonlySet<string> {
  const known: readonly string[] = EVENT_TYPES;
  const wanted = text.split(",");
  const unknown = wanted.find((word) => !known.includes(word));
  if (unknown === undefined) return new Set(wanted);
  throw new Fault("usage", `type is "${unknown}", which is no type of event; docs/events.md lists them`);
}
