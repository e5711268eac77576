import { fstatSync, writeSync } from "node:fs";
import { status } from "../commands/see/status.ts";
import { flushed, Output, watchReader, type Sink } from "../print/output.ts";
import { serverWanted } from "../remote/choose-server.ts";
import { EXIT } from "../shell/define-command.ts";
import { Invocation, type GlobalOptions } from "../shell/invocation.ts";
import { realSurroundings } from "../shell/surroundings.ts";
import { wentBeyond } from "./beyond.ts";

const STDOUT = 1;

interface Asked {
  readonly run: string | undefined;
  readonly options: GlobalOptions;
}

/**
 * `status` where all is well, by a program that holds nothing else (see decision 0060). It looks as the whole program
 * does, by the same code, and prints what it found in the end. Null where it found anything that the whole program may
 * have more to say about: an option that is not known here, a warning, an error. Then nothing was printed and nothing
 * was done, and the whole program begins from the beginning.
 */
export async function quickStatus(argv: readonly string[]): Promise<number | null> {
  const asked = askedBy(argv);
  if (asked === null) return null;
  const text = await found(asked).catch(() => null);
  if (text === null || wentBeyond()) return null;
  await print(text);
  return EXIT.done;
}

/** A terminal has a width, and colours. */
const isTerminal = (): boolean => fstatSync(STDOUT).isCharacterDevice();

/** To a file or a pipe at once: making the stream for it would take longer. */
async function print(text: string): Promise<void> {
  let rest = Buffer.from(text);
  try {
    while (!isTerminal() && rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
  } catch (error) {
    // A pipe that is full for now (EAGAIN) is waited for by the stream, which also knows readers that have gone.
    if (!["EAGAIN", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  if (rest.length === 0) return;
  watchReader(process.stdout, () => process.exit(EXIT.done));
  process.stdout.write(rest);
  await flushed(process.stdout);
}

/** What this program understands: `status [RUN] [--json] [--store URL]`. */
function askedBy([command, ...words]: readonly string[]): Asked | null {
  if (command !== "status") return null;
  const runs: string[] = [];
  const options: { json?: boolean; store?: string } = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--json") options.json = true;
    else if (word === "--store" && at + 1 < words.length) options.store = words[(at += 1)] ?? "";
    else if (word === "" || word.startsWith("-")) return null;
    else runs.push(word);
  }
  return runs.length > 1 ? null : { run: runs[0], options };
}

async function found({ run, options }: Asked): Promise<string | null> {
  const surroundings = realSurroundings();
  if (serverWanted(options, surroundings) !== null) return null;
  let text = "";
  let isPlain = true;
  const { env } = process;
  const write: Sink["write"] = (more) => {
    text += more;
    return true;
  };
  const { isTTY, columns, rows }: Omit<Sink, "write"> = isTerminal() ? process.stdout : {};
  const kept: Sink = { isTTY: isTTY === true, columns: columns ?? 0, rows: rows ?? 0, write };
  const refused: Sink = { write: () => (isPlain = false) };
  const output = new Output({
    json: options.json === true,
    stdout: kept,
    stderr: refused,
    term: env["TERM"],
    noColor: env["NO_COLOR"],
  });
  const call = new Invocation(options, output, surroundings, { command: "status" });
  const code = await status(call, run);
  return code === EXIT.done && isPlain ? text : null;
}
