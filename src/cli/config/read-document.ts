import { lookAtPlain, readPlain, type Refusal, type Absent } from "../../files/plain-file.ts";
import { isUtf8 } from "node:buffer";
import { load, YAMLException } from "js-yaml";
import { errorText, Fault } from "../../model/fault.ts";
import { beyondBounds, tooManyMarks } from "./document-bounds.ts";
import { documentPlaces, placeText, type DocumentPlaces } from "./document-places.ts";
import { inMilliseconds } from "./written-durations.ts";
import { pathText } from "./path-text.ts";

const FILE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Aliases are a convenience; thousands of them are an attack on the one that walks the result. */
const ALIASES_MAX = 100;
const LINE_FEED = 10;

/** What a file says, and where it says it. */
export interface ReadDocument {
  readonly value: unknown;
  readonly places: DocumentPlaces;
}

/** Reads a YAML or JSON file that a person wrote; every failure names the file and the place in it. */
export function readDocument(file: string, what: string): ReadDocument {
  const text = readText(file, what);
  const value = parseWithin(text, file);
  const places = documentPlaces(text);
  // JSON would take the last of them in silence.
  if (places.doubled !== null)
    throw invalid(
      file,
      `has the key "${String(places.doubled.path.at(-1))}" twice in one mapping, ${places.doubled.place}: ${pathText(places.doubled.path)}; expected it once, keep one of them`,
    );
  return { value: inMilliseconds(withoutSchema(value)), places };
}

function parseWithin(text: string, file: string): unknown {
  const before = tooManyMarks(text);
  if (before !== null) throw invalid(file, before);
  const value = file.endsWith(".json") ? parseJson(text, file) : parseYaml(text, file);
  const after = beyondBounds(value);
  if (after !== null) throw invalid(file, after);
  return value;
}

/** Where editors find the schema says nothing to Holdfast. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("$schema" in value)) return value;
  const { $schema, ...rest } = value;
  return typeof $schema === "string" ? rest : value;
}

function readText(file: string, what: string): string {
  // People keep such files among their dotfiles, and link them; what the link leads to must be a file.
  const read = readPlain(file, { bytesMax: FILE_BYTES_MAX, links: "follow" });
  if (read.kind !== "read") throw notRead(file, what, read);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
  } catch (error) {
    throw invalid(file, `is not UTF-8 text, line ${String(badLineOf(read.bytes))}`, error);
  }
}

function badLineOf(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? bytes.length : end)) || end === -1) return line;
    start = end + 1;
  }
  return line;
}

/** A module is loaded by Node, which would wait for a FIFO of that name for ever. */
export function expectFile(file: string, what: string): void {
  const found = lookAtPlain(file, "follow");
  if (found !== null) throw notRead(file, what, found);
}

function notRead(file: string, what: string, found: Absent | Refusal): Fault {
  const cause = found.kind === "refused" ? found.cause : undefined;
  return new Fault("config_invalid", `${what} ${file} ${readProblem(found)}`, { cause, details: { file } });
}

function readProblem(found: Absent | Refusal): string {
  if (found.kind === "absent") return "cannot be read: there is no such file; check the path";
  return found.why === "folder"
    ? "cannot be read: it is a folder; expected a YAML or JSON file"
    : found.problem;
}

function parseYaml(text: string, file: string): unknown {
  // A file of nothing but comments is an empty document, which the parser refuses.
  if (text.split("\n").every((line) => /^\s*(#|$)/.test(line))) return null;
  try {
    return load(text, { filename: file, maxAliases: ALIASES_MAX });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw invalid(file, `is not YAML: ${errorText(error)}`, error);
    const { reason, mark } = error;
    const place =
      mark === undefined
        ? secondDocument(text)
        : `line ${String(mark.line + 1)}, column ${String(mark.column + 1)}`;
    const line = place === null ? "" : `, ${place}`;
    throw invalid(
      file,
      `is not YAML${line}: ${reason}${LIKELY[reason] ?? ""}${snippet(mark?.snippet)}`,
      error,
    );
  }
}

/** What a reason of the parser's mostly comes from. */
const LIKELY: Readonly<Record<string, string>> = {
  "deficient indentation": ", or a quote above it is not closed",
};

/** Where another document begins, behind one that says something. */
function secondDocument(text: string): string | null {
  let said = false;
  for (const [index, line] of text.split("\n").entries()) {
    const begins = line === "---" || line.startsWith("--- ");
    if (begins && said) return `line ${String(index + 1)}, column 1`;
    said ||= !begins && line.trim() !== "" && !line.trimStart().startsWith("#");
  }
  return null;
}

/** A line of thousands of characters shows nothing. */
const SNIPPET_CHARS_MAX = 800;

const snippet = (text: string | null | undefined): string =>
  text === undefined || text === null || text === "" || text.length > SNIPPET_CHARS_MAX ? "" : `\n${text}`;

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(file, `is not JSON${placeOf(errorText(error), text)}: ${errorText(error)}`, error);
  }
}

/** Node names an offset for some errors, and a line for others; people need the line. */
function placeOf(message: string, text: string): string {
  const offset = /position (\d+)/.exec(message)?.[1];
  if (offset === undefined || message.includes("line ")) return "";
  return `, ${placeText(text, Number(offset))}`;
}

const invalid = (file: string, problem: string, cause?: unknown): Fault =>
  new Fault("config_invalid", `${file} ${problem}`, { cause, details: { file } });
