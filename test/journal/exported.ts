import { chainHash, GENESIS } from "../../src/journal/chain.ts";
import { exportRun } from "../../src/journal/export-lines.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { memoryDisk, type MemoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { openExport, type OpenedExport } from "../../src/journal/read-export.ts";
import { headIn, order, owner, quietWorld, said } from "./contract/scene.ts";

/** A journal in memory with a run `run_a` that says these words. */
export async function journalSaying(
  words: readonly string[],
): Promise<{ journal: Journal; disk: MemoryDisk }> {
  const disk = memoryDisk();
  const journal = memoryJournal({ world: quietWorld(), disk });
  await journal.claim("run_a", owner("own_a"));
  headIn(await journal.append(order("run_a", 0, { events: words.map(said) })));
  return { journal, disk };
}

export async function exportText(journal: Journal, run = "run_a"): Promise<string> {
  const head = await journal.head(run);
  let text = "";
  if (head === null) return text;
  const exportedAt = "2026-11-15T10:00:00.000Z";
  for await (const line of exportRun(journal, { run, head, exportedAt })) text += line;
  return text;
}

/** In pieces of so many bytes, as a stream might bring them. */
export async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

export const opened = (content: string | Uint8Array, size?: number): Promise<OpenedExport> =>
  openExport("it.jsonl", inPieces(typeof content === "string" ? Buffer.from(content) : content, size));

/** Reads everything, and answers how many events there were. */
export async function countEvents(content: string | Uint8Array, size?: number): Promise<number> {
  let count = 0;
  for await (const { seq } of (await opened(content, size)).events) count = seq;
  return count;
}

/** Writes data of any spelling behind the store's back, with hashes that fit. */
export function respell(disk: MemoryDisk, run: string, texts: readonly string[]): void {
  const found = disk.runs.get(run);
  if (found === undefined) return;
  let previous = GENESIS;
  found.events.forEach((event, index) => {
    const changed = { ...event, data: texts[index] ?? event.data };
    previous = chainHash(previous, changed);
    found.events[index] = { ...changed, hash: previous };
  });
  found.head = { ...found.head, hash: previous };
}
