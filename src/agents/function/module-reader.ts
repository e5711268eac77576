import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../model/fault.ts";
import { toExcerpt, type Signal } from "../../model/signals.ts";
import type { LineReader } from "../keeper/read-spool.ts";
import { signalOfLine } from "../keeper/signal-of-line.ts";
import { RESULT_CHARS_MAX } from "./function-result.ts";
import { RESULT_FILE } from "./module-line.ts";

/** Every line that the program of a module prints is a signal; a long result is read from its file. */
export const moduleReader = (folder: string): LineReader => ({
  read: (line) => {
    if (line.text.trim() === "") return [];
    const signal = signalOfLine(line);
    return [signal.kind === "result" && namesFile(line.text) ? withValue(signal, folder) : signal];
  },
});

/** Checked as text: the rest of the line is small, and a signal keeps only the fields it knows. */
const namesFile = (text: string): boolean => text.endsWith(`"valueIn":"${RESULT_FILE}"}`);

function withValue(signal: Extract<Signal, { kind: "result" }>, folder: string): Signal {
  try {
    return { ...signal, value: JSON.parse(readResult(path.join(folder, RESULT_FILE))) as unknown };
  } catch (error) {
    const text = `the result of the function cannot be read: ${errorText(error)}`;
    return { kind: "error", text: toExcerpt(text), terminal: false };
  }
}

const BYTES_PER_CHAR_MAX = 4;

/** The agent can write there: only a file is read, of a size that a result can have. */
function readResult(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error(`${file} is no regular file`);
    if (found.size > RESULT_CHARS_MAX * BYTES_PER_CHAR_MAX)
      throw new Error(`${file} has ${String(found.size)} bytes`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
