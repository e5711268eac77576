import type { StoredEvent } from "./chain.ts";
import { exportCheck } from "./export-check.ts";
import { LINE_BYTES_MAX } from "./export-header.ts";
import type { ExportHeader } from "./export-lines.ts";
import { textLines } from "./text-lines.ts";

/** An export whose header was read. */
export interface OpenedExport {
  readonly header: ExportHeader;
  /** Once, in order; each is checked before it is given. Throws where the export is damaged, or cut short. */
  readonly events: AsyncGenerator<StoredEvent>;
}

/** Reads an export line by line, in bounded memory. `name` is what it is called in messages. */
export async function openExport(name: string, pieces: AsyncIterable<Uint8Array>): Promise<OpenedExport> {
  const check = exportCheck(name);
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
  return { header, events: events() };
}
