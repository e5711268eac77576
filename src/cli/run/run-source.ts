import { createReadStream, statSync } from "node:fs";
import path from "node:path";
import type { ExportedRuns, System } from "../../main.ts";
import type { Recorded } from "../../model/events/events.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { runAtHand } from "./find-run.ts";
import { eventsAfter } from "./follow-run.ts";
import { standardInput } from "./input-lines.ts";
import type { Invocation } from "../shell/invocation.ts";

type OpenedExport = Awaited<ReturnType<ExportedRuns["open"]>>;

/** A run that can be read, from the store or from a file. */
export interface RunSource {
  /** As the caller called it. */
  readonly name: string;
  readonly run: string;
  /** The store it lies in; null for a file. */
  readonly system: System | null;
  /** Once, oldest first; checked against their hashes as they come. */
  readonly events: AsyncIterator<Recorded>;
}

export const RUN_OR_FILE =
  "a run's id, or the beginning or end of it; or an exported file (what ends in .jsonl or is there as a file; - for standard input)";

/** Whether the word names an exported file, not a run. A folder does only if it is written as a path. */
export function isFileWord(call: Invocation, word: string): boolean {
  // Who asks a server names runs alone; its files are not theirs.
  if (call.serving !== null) return word === "-";
  if (word === "-" || word.endsWith(".jsonl")) return true;
  const found = statSync(path.resolve(call.surroundings.cwd, word), { throwIfNoEntry: false });
  return found !== undefined && (!found.isDirectory() || word.includes("/"));
}

/** Opens what the words name, with the store only if one of them is a run. */
export async function withRuns<T>(
  call: Invocation,
  words: readonly (string | undefined)[],
  work: (sources: RunSource[]) => Promise<T>,
): Promise<T> {
  const sources = async (system: System | null): Promise<RunSource[]> => {
    const opened: RunSource[] = [];
    for (const word of words)
      opened.push(
        word !== undefined && (system === null || isFileWord(call, word))
          ? await fileSource(call, word)
          : await runSource(system, word),
      );
    return opened;
  };
  if (words.every((word) => word !== undefined && isFileWord(call, word))) return work(await sources(null));
  return call.withSystem("empty", async (system) => work(await sources(system)));
}

/** No word: the only run that has not ended, or the newest of all. */
async function runSource(system: System | null, word: string | undefined): Promise<RunSource> {
  if (system === null) throw new Fault("usage", "a run's id or an exported file is missing");
  const { journal } = system.ports;
  const run = await runAtHand(journal, word);
  return { name: run, run, system, events: eventsAfter(journal, run, 0) };
}

async function fileSource(call: Invocation, word: string): Promise<RunSource> {
  const { header, recorded } = await openFile(call, word);
  return { name: fileName(word), run: header.run, system: null, events: recorded() };
}

export const fileName = (word: string): string => (word === "-" ? "standard input" : word);

/** An export with its header read; its events are checked as they are taken. */
export async function openFile(call: Invocation, word: string): Promise<OpenedExport> {
  const { exportedRuns } = await import("../../main.ts");
  return exportedRuns.open(fileName(word), pieces(call, word));
}

async function* pieces(call: Invocation, word: string): AsyncGenerator<Uint8Array> {
  const file = path.resolve(call.surroundings.cwd, word);
  try {
    const stream = word === "-" ? standardInput(call) : createReadStream(file);
    for await (const piece of stream as AsyncIterable<Uint8Array>) yield piece;
  } catch (error) {
    throw cannotRead(fileName(word), error);
  }
}

function cannotRead(name: string, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error, details: { file: name } };
  if (code === "ENOENT")
    return new Fault(
      "not_found",
      `there is no file ${name}; \`holdfast export RUN --out FILE\` writes one`,
      options,
    );
  if (code === "EISDIR")
    return new Fault("usage", `${name} is a folder; expected a file that \`holdfast export\` wrote`, options);
  return new Fault("store_unavailable", `${name} cannot be read: ${errorText(error)}`, options);
}
