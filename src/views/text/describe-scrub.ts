import type { EventData } from "../../model/events/events.ts";

const number = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? "" : "s"}`;

/** The removal of a value, in plain words. */
export const DESCRIBE_SCRUBS = {
  RunScrubbed: ({ by, count, requests, from, before, after }: EventData<"RunScrubbed">): string =>
    `${by} removed a value from ${number(count, "event")} and ${number(requests, "request")}` +
    (from === null
      ? ""
      : `; hashes differ from event ${String(from)} on (event ${String(before.seq)} was ${before.hash.slice(0, 12)}, is ${after.hash.slice(0, 12)})`),
  ScrubFinished: ({ files, left }: EventData<"ScrubFinished">): string =>
    `the removal is finished: ${number(files, "file")} cleaned${left.length === 0 ? "" : `, ${String(left.length)} not`}`,
} as const;
