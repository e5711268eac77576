import type { LineReader } from "../keeper/spool/read-spool.ts";
import { signalOfLine } from "../keeper/spool/signal-of-line.ts";

/** The scripted agent prints one signal per line as JSON. */
export const demoReader = (): LineReader => ({
  read: (line) => (line.text.trim() === "" ? [] : [signalOfLine(line)]),
});
