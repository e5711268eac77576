import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { Fault } from "../../model/fault.ts";

const LINE_CHARS_MAX = 1_024;

/** Reads secrets that people type or pipe: never from arguments or the environment, which other processes can see. */
export interface SecretReader {
  /** The next one; the question is shown where somebody types. */
  next(question: string): Promise<string>;
  close(): void;
}

/** Null where nobody can type one and none is piped. */
export function secretReader(isPiped: boolean): SecretReader | null {
  const { stdin, stderr } = process;
  if (!isPiped && !stdin.isTTY) return null;
  // What is typed is not shown.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: !isPiped });
  const read = lineReader(lines);
  return {
    async next(question) {
      if (!isPiped) stderr.write(`${question}: `);
      const text = await read();
      if (!isPiped) stderr.write("\n");
      if (text !== null && text !== "" && text.length <= LINE_CHARS_MAX) return text;
      throw new Fault("usage", `nothing was given for "${question}"; expected one line on standard input`);
    },
    close() {
      lines.close();
      stdin.pause();
    },
  };
}

/** Null at the end. */
function lineReader(lines: Interface): () => Promise<string | null> {
  const pieces = lines[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = (await pieces.next()) as { value?: string; done?: boolean };
    return done === true || value === undefined ? null : value;
  };
}
