import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { baseOf, EMPTY_BASE, type Base } from "./position.ts";

/**
 * What cursors are expressed against, kept so that a cursor is good after this process has ended.
 *
 * 1. A base is on disk before a cursor names it.
 * 2. It is named after its content, and never changed. Those that nobody has named for longest are forgotten; a cursor
 *    that names one of them is gone.
 */
export interface BaseFiles {
  keep(base: Base): void;
  find(digest: string): Base | null;
  /** The one that was used last, by any server of the store. */
  newest(): Base | null;
}

const BASES_MAX = 200;
const BYTES_MAX = 64 * 1024 * 1024;

export function baseFiles(folder: string): BaseFiles {
  const known = new Map<string, Base>([[EMPTY_BASE.digest, EMPTY_BASE]]);
  const fileOf = (digest: string): string => path.join(folder, `${digest}.json`);
  return {
    keep(base) {
      if (known.has(base.digest)) return;
      const rows = base.runs.map((run, place) => [run, base.seqs[place]]);
      replaceFile(fileOf(base.digest), JSON.stringify(rows));
      known.set(base.digest, base);
      forgetOldest(folder, known);
    },
    find(digest) {
      const found = known.get(digest) ?? readBase(fileOf(digest));
      if (found === null || found.digest !== digest) return null;
      known.set(digest, found);
      if (found !== EMPTY_BASE) noteUse(fileOf(digest));
      return found;
    },
    newest() {
      const last = aged(folder).at(-1);
      return last === undefined ? null : this.find(last.slice(0, 16));
    },
  };
}

function readBase(file: string): Base | null {
  const text = plainTextIfAny(file, { bytesMax: BYTES_MAX });
  if (text === undefined) return null;
  try {
    return baseOf(JSON.parse(text) as [string, number][]);
  } catch {
    // A damaged file is as good as none: its cursors are gone, and the one that holds one is informed.
    return null;
  }
}

/** A reader that comes back again and again with cursors of one base keeps it. */
function noteUse(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Gone, or not ours to touch: it is known to this process as long as it lives.
  }
}

/** The names of the files, those that were used longest ago first. */
function aged(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  const used = names.map((name) => ({
    name,
    at: statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  return used.sort((one, other) => one.at - other.at).map(({ name }) => name);
}

function forgetOldest(folder: string, known: Map<string, Base>): void {
  const names = readdirSync(folder).length <= BASES_MAX ? [] : aged(folder);
  for (const name of names.slice(0, Math.max(0, names.length - BASES_MAX))) {
    rmSync(path.join(folder, name), { force: true });
    known.delete(name.slice(0, 16));
  }
}
