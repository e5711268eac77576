import { Fault } from "../model/fault.ts";
import { blobLine, closingLine, eventLine, headerLine, type ExportHead } from "./export-lines.ts";
import type { Journal } from "./journal.ts";
import { placesIn } from "./large-values.ts";

const PAGE_EVENTS = 200;

export interface ExportOrder {
  readonly run: string;
  /** The last event to be exported: what is appended meanwhile is left out. */
  readonly head: ExportHead;
  readonly exportedAt: string;
}

/** The lines of a run's export, page by page. */
export async function* exportRun(journal: Journal, order: ExportOrder): AsyncGenerator<string> {
  const { run, head } = order;
  const carried = new Set<string>();
  yield headerLine(order);
  for (let seq = 0; seq < head.seq;) {
    const limit = Math.min(PAGE_EVENTS, head.seq - seq);
    const events = await journal.readStored(run, { after: seq, limit });
    if (events.length === 0) throw goneMeanwhile(run);
    for (const event of events) {
      const digests = placesIn(event.data).map(({ digest }) => digest);
      const missing = [...new Set(digests)].filter((digest) => !carried.has(digest));
      for (const [index, text] of (missing.length === 0
        ? []
        : await journal.readApart(event, missing)
      ).entries()) {
        const digest = missing[index] ?? "";
        carried.add(digest);
        yield blobLine({ digest, text });
      }
      yield eventLine(event);
    }
    seq += events.length;
  }
  yield closingLine(run, head);
}

const goneMeanwhile = (run: string): Fault =>
  new Fault(
    "not_found",
    `the run ${run} was removed from the store while it was exported; look for its archive`,
  );
