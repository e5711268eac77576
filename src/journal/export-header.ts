import { EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader } from "./export-lines.ts";
import { Fault } from "../model/fault.ts";

/** No line of ours comes near it; without a bound a file of one endless line would fill the memory (I7). */
export const LINE_BYTES_MAX = 256 * 1_024 * 1_024;

const SHOWN_CHARS = 60;

/** What the first line of an export says. Anything else is no export, and is reported as what it is. */
export function parseHeader(name: string, line: TextLine): ExportHeader {
  if (line.kind === "too long")
    throw notAnExport(name, `its first line exceeds ${String(LINE_BYTES_MAX)} bytes`);
  if (line.kind === "not text") throw notAnExport(name, "it is not a text file");
  const value = objectIn(line.text);
  if (value?.["format"] !== EXPORT_FORMAT) throw notAnExport(name, found(line.text, value));
  const { version } = value;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw badHeader(name, "its version is missing or no whole number");
  if (version > EXPORT_VERSION) throw tooNew(name, version);
  return fieldsOf(name, value);
}

function fieldsOf(name: string, { run, head, exportedAt }: Record<string, unknown>): ExportHeader {
  if (typeof run !== "string" || run === "") throw badHeader(name, "it names no run");
  const { seq, hash } = (typeof head === "object" && head !== null ? head : {}) as Record<string, unknown>;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1 || !isHash(hash))
    throw badHeader(name, "it does not name the run's last event");
  if (typeof exportedAt !== "string" || Number.isNaN(Date.parse(exportedAt)))
    throw badHeader(name, "it does not say when it was written");
  return { run, head: { seq, hash }, exportedAt };
}

const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function found(text: string, value: Record<string, unknown> | null): string {
  if (text.startsWith(`{"format":"${EXPORT_FORMAT}"`)) return "its header is cut short";
  if (value !== null && Object.hasOwn(value, "seq") && Object.hasOwn(value, "hash"))
    return "it begins with an event; `holdfast events` prints such lines, without a header";
  const start = text.slice(0, SHOWN_CHARS);
  return `its first line is ${JSON.stringify(start)}${text.length > start.length ? "…" : ""}`;
}

/** What was found instead, and what was expected. */
export const notAnExport = (name: string, what: string): Fault =>
  new Fault(
    "usage",
    `${name} is not an exported run: ${what}; expected a file that \`holdfast export RUN --out FILE\` wrote`,
    { details: { file: name, what } },
  );

const badHeader = (name: string, what: string): Fault =>
  new Fault(
    "journal_damaged",
    `${name} is damaged at line 1, its header: ${what} — use another copy, or export the run again`,
    { retry: "after-human", details: { file: name, run: null, line: 1, seq: null, what } },
  );

const tooNew = (name: string, version: number): Fault =>
  new Fault(
    "store_version",
    `${name} has version ${String(version)} of the format, and this Holdfast reads up to ${String(EXPORT_VERSION)}; open it with the Holdfast that wrote it or a newer one`,
    { retry: "after-human", details: { file: name, version } },
  );

/** One line of a stream of bytes, without its end. */
export type TextLine =
  /** `ended`: a line break follows; otherwise the stream ends here. */
  | { readonly kind: "text"; readonly text: string; readonly ended: boolean }
  /** Longer than was allowed; nothing more is read. */
  | { readonly kind: "too long" }
  /** Bytes that are no UTF-8. */
  | { readonly kind: "not text" };

const LINE_END = 0x0a;

/** The lines of a stream; never more of it is kept than one line and one piece of the stream. */
export async function* textLines(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<TextLine> {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const end = piece.indexOf(LINE_END, from);
      const part = piece.subarray(from, end === -1 ? piece.length : end);
      kept.push(part);
      bytes += part.length;
      if (bytes > bytesMax) {
        yield { kind: "too long" };
        return;
      }
      if (end === -1) break;
      yield decoded(kept, { ended: true });
      kept = [];
      bytes = 0;
      from = end + 1;
    }
  }
  if (bytes > 0) yield decoded(kept, { ended: false });
}

function decoded(parts: readonly Uint8Array[], { ended }: { readonly ended: boolean }): TextLine {
  try {
    return {
      kind: "text",
      text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)),
      ended,
    };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "not text" };
    throw error;
  }
}
