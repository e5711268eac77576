/**
 * The anchor of a store: a small file in another folder that names the newest events which the store was seen to hold.
 * A store that is put back to an older copy together with everything beside it is behind its anchor, and so is found.
 *
 * On disk: one JSON file, replaced whole and synced before it takes its name. A crash leaves the one before.
 * 1. It names only events whose append was answered, so it is never ahead of what the store holds on disk.
 * 2. Any number of processes write it. Each takes the newer position of what it finds and what it knows; one that is
 *    late leaves an older position, which still holds.
 * 3. A run is dropped from it before it is removed from the store.
 * 4. Before a run is rewritten it names the end as it is and the end that is to come: after a crash the store holds one
 *    of the two, and nothing else is accepted.
 */
import { plainText, RECORD_BYTES_MAX } from "../files/plain-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { anchorSchema, type Anchored } from "../model/events/anchored.ts";
import { errorText, Fault } from "../model/fault.ts";
import type { World } from "../model/world.ts";

/** The newest runs; a store that is put back has lost events of the newest ones first. */
const HEADS_KEPT = 64;

export interface AnchorFile {
  readonly file: string;
  /** Newest first; empty where there is none. One that cannot be read is a fault, and not a store without an anchor. */
  read(): readonly Anchored[];
  /** Adds what is newer, leaves out `dropped`, and answers once it is on disk. */
  merge(heads: Iterable<Anchored>, dropped?: ReadonlySet<string>): void;
  /** In the place of what it names of that run. */
  put(head: Anchored): void;
  /** Forgets what was there. */
  replace(heads: Iterable<Anchored>): void;
}

export function anchorFile(file: string, store: string, world: World): AnchorFile {
  const read = (): readonly Anchored[] => readHeads(file);
  const write = (heads: readonly Anchored[]): void => {
    const newest = heads.toSorted((a, b) => b.at - a.at).slice(0, HEADS_KEPT);
    world.crashPoint("anchor.write.before");
    replaceFile(file, `${JSON.stringify({ store, heads: newest })}\n`);
    world.crashPoint("anchor.write.after");
  };
  return {
    file,
    read,
    merge(heads, dropped = new Set()) {
      const byRun = new Map(read().map((head) => [head.run, head]));
      for (const head of heads) if ((byRun.get(head.run)?.seq ?? 0) < head.seq) byRun.set(head.run, head);
      write([...byRun.values()].filter(({ run }) => !dropped.has(run)));
    },
    put: (head) => write([head, ...read().filter(({ run }) => run !== head.run)]),
    replace: (heads) => write([...heads]),
  };
}

function readHeads(file: string): readonly Anchored[] {
  const text = plainText(file, { bytesMax: RECORD_BYTES_MAX });
  if (text === undefined) return [];
  try {
    return anchorSchema.parse(JSON.parse(text)).heads;
  } catch (error) {
    throw new Fault(
      "journal_damaged",
      `the anchor ${file}, which says how far its store had come, cannot be read: ${errorText(error).slice(0, 200)}; look whether the store is whole with \`holdfast verify --accept-rollback\`, which writes the anchor again`,
      { cause: error, retry: "after-human", details: { anchor: file } },
    );
  }
}
