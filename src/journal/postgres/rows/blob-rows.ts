import type { EncodedEvent } from "../../chain.ts";
import type { Link, Statement } from "../link/link.ts";
import { text, type Row } from "../../row-values.ts";
import { checkText } from "./sealed.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

/** Whether anything must be kept before these events are written. */
export const hasBlobs = (events: readonly EncodedEvent[]): boolean =>
  events.some(({ apart }) => apart !== undefined);

/** Keeps the large values of events, the first of which will be `seq`. Keeping them twice changes nothing. */
export const blobKeeping =
  (writer: Writer) =>
  async (run: string, seq: number, events: readonly EncodedEvent[]): Promise<void> => {
    checkText(run);
    const news = events.flatMap(({ apart }, index) =>
      (apart?.blobs ?? []).map((blob) => ({ seq: seq + index, digest: blob.digest, content: blob.text })),
    );
    await writer.run(() => statement("keepBlobs", run, JSON.stringify(news)));
  };

/** The texts of values that are there, by digest. */
export async function blobTexts(
  run: (asked: Statement) => Promise<readonly Row[]>,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) return new Map();
  const rows = await run(statement("blobs", digests));
  return new Map(rows.map((row) => [text(row, "digest"), text(row, "content")]));
}

/** The same over one link, with whether the event is noted as their user. */
export async function usedBlobs(
  link: Link,
  event: { readonly run: string; readonly seq: number },
  digests: readonly string[],
): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly used: ReadonlySet<string> }> {
  const texts = await blobTexts((asked) => link.run(asked), digests);
  const rows = await link.run(statement("blobUses", event.run, event.seq));
  return { texts, used: new Set(rows.map((row) => text(row, "digest"))) };
}
