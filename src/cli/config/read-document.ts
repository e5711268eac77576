import { readFileSync } from "node:fs";
import { load, YAMLException } from "js-yaml";
import { errorText, Fault } from "../../model/fault.ts";

const FILE_BYTES_MAX = 4 * 1_024 * 1_024;
/** Aliases are a convenience; thousands of them are an attack on whoever walks the result. */
const ALIASES_MAX = 100;

/** Reads a YAML or JSON file that a person wrote; every failure names the file and the place in it. */
export function readDocument(file: string, what: string): unknown {
  const text = readText(file, what);
  return file.endsWith(".json") ? parseJson(text, file) : parseYaml(text, file);
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

const snippet = (text: string | null | undefined): string =>
  text === undefined || text === null || text === "" ? "" : `\n${text}`;

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
  return `, line ${String(text.slice(0, Number(offset)).split("\n").length)}`;
}

const invalid = (file: string, problem: string, cause?: unknown): Fault =>
  new Fault("config_invalid", `${file} ${problem}`, { cause, details: { file } });
