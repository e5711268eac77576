import type { Recorded } from "../model/events/events.ts";
import type { StoredEvent } from "./chain.ts";
import { exportCheck } from "./export-check.ts";
import { LINE_BYTES_MAX, textLines } from "./export-header.ts";
import type { ExportHeader } from "./export-lines.ts";
import { decodeWhole } from "./large-values.ts";

/** An export whose header was read. */
export interface OpenedExport {
  readonly header: ExportHeader;
  /** Once, in order; each is checked before it is given. Throws where the export is damaged, or cut short. */
  readonly events: AsyncGenerator<StoredEvent>;
  /** The same as the code of today understands them, in place of the above; the large values are kept meanwhile. */
  readonly recorded: () => AsyncGenerator<Recorded>;
}

/** Reads an export line by line, in bounded memory. `name` is what it is called in messages. */
export async function openExport(name: string, pieces: AsyncIterable<Uint8Array>): Promise<OpenedExport> {
  const texts = new Map<string, string>();
  let keeps = false;
  const check = exportCheck(name, ({ digest, text }) => {
    if (keeps) texts.set(digest, text);
  });
  const lines = textLines(pieces, LINE_BYTES_MAX);
  const first = await lines.next();
  if (first.done !== true) check.take(first.value);
  const { header } = check;
  if (header === null) {
    check.end();
    throw new Error("unreachable: an export without a header is refused");
  }
  async function* events(): AsyncGenerator<StoredEvent> {
    for await (const line of lines) {
      const event = check.take(line);
      if (event !== null) yield event;
    }
    check.end();
  }
  async function* recorded(): AsyncGenerator<Recorded> {
    keeps = true;
    for await (const event of events()) yield decodeWhole(event, false, (digest) => texts.get(digest));
  }
  return { header, events: events(), recorded };
}
