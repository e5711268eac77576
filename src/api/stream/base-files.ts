import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { baseOf, EMPTY_BASE, type Base } from "./position.ts";

/**
 * What cursors are told against, kept so that a cursor is good after this process has ended.
 *
 * 1. A base is on disk before a cursor names it.
 * 2. It is named after its content, and never changed. The oldest are forgotten; a cursor that names one of them is gone.
 */
export interface BaseFiles {
  keep(base: Base): void;
  find(digest: string): Base | null;
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
      return found;
    },
  };
}

function readBase(file: string): Base | null {
  const text = plainTextIfAny(file, { bytesMax: BYTES_MAX });
  if (text === undefined) return null;
  try {
    return baseOf(JSON.parse(text) as [string, number][]);
  } catch {
    // A damaged file is as good as none: its cursors are gone, and whoever holds one is told so.
    return null;
  }
}

function forgetOldest(folder: string, known: Map<string, Base>): void {
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  if (names.length <= BASES_MAX) return;
  const aged = names.map((name) => ({ name, at: statSync(path.join(folder, name)).mtimeMs }));
  aged.sort((one, other) => one.at - other.at);
  for (const { name } of aged.slice(0, names.length - BASES_MAX)) {
    rmSync(path.join(folder, name), { force: true });
    known.delete(name.slice(0, 16));
  }
}
