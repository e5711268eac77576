import type { EventData } from "../model/events/events.ts";
import type { StoredEvent } from "./chain.ts";
import type { Journal } from "./journal.ts";

const PAGE_EVENTS = 1_000;

/** The record of a value's removal from a run. */
export interface ScrubRecord extends EventData<"RunScrubbed"> {
  readonly seq: number;
  readonly at: number;
  /** False where the one that removed it was interrupted: old bytes may be left in files. */
  readonly finished: boolean;
}

/** Every removal that a run has on record, oldest first. */
export async function scrubsOf(journal: Pick<Journal, "readStored">, run: string): Promise<ScrubRecord[]> {
  const records: ScrubRecord[] = [];
  for await (const { seq, at, type, data } of storedEvents(journal, run)) {
    if (type === "RunScrubbed")
      records.push({ ...(JSON.parse(data) as EventData<"RunScrubbed">), seq, at, finished: false });
    const last = records.at(-1);
    if (type === "ScrubFinished" && last !== undefined) records.splice(-1, 1, { ...last, finished: true });
  }
  return records;
}

/** The removal by which an event got another hash, the last of them; undefined where there is none. */
export const scrubOf = (records: readonly ScrubRecord[], seq: number): ScrubRecord | undefined =>
  records.findLast(({ from, before }) => from !== null && from <= seq && seq <= before.seq);

/** All events of a run as they are stored, page by page. */
export async function* storedEvents(
  journal: Pick<Journal, "readStored">,
  run: string,
): AsyncGenerator<StoredEvent> {
  for (let after = 0; ;) {
    const page = await journal.readStored(run, { after, limit: PAGE_EVENTS });
    yield* page;
    if (page.length < PAGE_EVENTS) return;
    after += page.length;
  }
}
