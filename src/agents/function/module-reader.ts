import path from "node:path";
import { plainText } from "../../files/plain-file.ts";
import { errorText } from "../../model/fault.ts";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import type { LineReader } from "../keeper/spool/read-spool.ts";
import { signalOfLine } from "../keeper/spool/signal-of-line.ts";
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

/** The agent can write there. */
function readResult(file: string): string {
  const text = plainText(file, { bytesMax: RESULT_CHARS_MAX * BYTES_PER_CHAR_MAX });
  if (text === undefined) throw new Error(`${file} is not there`);
  return text;
}
