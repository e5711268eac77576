import { readFileSync } from "node:fs";
import { load, YAMLException } from "js-yaml";
import { errorText, Fault } from "../../model/fault.ts";
import { documentPlaces, placeText, type DocumentPlaces } from "./document-places.ts";
import { pathText } from "./path-text.ts";

const FILE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Aliases are a convenience; thousands of them are an attack on whoever walks the result. */
const ALIASES_MAX = 100;

/** What a file says, and where it says it. */
export interface ReadDocument {
  readonly value: unknown;
  readonly places: DocumentPlaces;
}

/** Reads a YAML or JSON file that a person wrote; every failure names the file and the place in it. */
export function readDocument(file: string, what: string): ReadDocument {
  const text = readText(file, what);
  const value = file.endsWith(".json") ? parseJson(text, file) : parseYaml(text, file);
  const places = documentPlaces(text);
  // JSON would take the last of them in silence.
  if (places.doubled !== null)
    throw invalid(
      file,
      `has the key "${String(places.doubled.path.at(-1))}" twice in one mapping, ${places.doubled.place}: ${pathText(places.doubled.path)}; expected it once, keep one of them`,
    );
  return { value, places };
}

function readText(file: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Fault("config_invalid", `${what} ${file} cannot be read: ${readProblem(error)}`, {
      cause: error,
    });
  }
  if (bytes.length > FILE_BYTES_MAX)
    throw invalid(file, `has ${String(bytes.length)} bytes; expected at most ${String(FILE_BYTES_MAX)}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid(file, "is not UTF-8 text", error);
  }
}

const readProblem = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such file; check the path";
  if (code === "EISDIR") return "it is a folder; expected a YAML or JSON file";
  if (code === "EACCES") return "it may not be read by this user";
  return errorText(error);
};

function parseYaml(text: string, file: string): unknown {
  // A file of nothing but comments is an empty document, which the parser refuses.
  if (text.split("\n").every((line) => /^\s*(#|$)/.test(line))) return null;
  try {
    return load(text, { filename: file, maxAliases: ALIASES_MAX });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw invalid(file, `is not YAML: ${errorText(error)}`, error);
    const { reason, mark } = error;
    const line =
      mark === undefined ? "" : `, line ${String(mark.line + 1)}, column ${String(mark.column + 1)}`;
    throw invalid(file, `is not YAML${line}: ${reason}${snippet(mark?.snippet)}`, error);
  }
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
