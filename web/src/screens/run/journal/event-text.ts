import type { Recorded } from "../../../../../src/model/events/events.ts";
import { describeEvent } from "../../../../../src/views/text/describe-event.ts";
import type { JournalEvent } from "../timeline/explain.ts";

/** An event in plain words; one of a later version, or with what was left out of it, as its data. */
export function eventText(event: JournalEvent): string {
  try {
    return describeEvent(event as unknown as Recorded);
  } catch {
    // A type that this version of the page does not know.
    return JSON.stringify(event.data).slice(0, 400);
  }
}
