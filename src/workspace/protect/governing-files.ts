import { createHash } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";

const NAMES = ["config", "config.worktree", "info/attributes", "info/exclude", "info/grafts"];
const HOOKS_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;

/** A digest of each file in a git directory by which the repository has git run programs or treat files differently. */
export function governingFiles(folders: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of new Set(folders))
    for (const name of [...NAMES, ...hooksOf(folder)]) {
      const digest = digestOf(path.join(folder, name));
      if (digest !== undefined) found[name] = digest;
    }
  return found;
}

function hooksOf(folder: string): string[] {
  try {
    const names = readdirSync(path.join(folder, "hooks")).filter((name) => !name.endsWith(".sample"));
    return names
      .sort()
      .slice(0, HOOKS_MAX)
      .map((name) => `hooks/${name}`);
  } catch {
    return [];
  }
}

function digestOf(file: string): string | undefined {
  const read = readPlain(file, { bytesMax: BYTES_MAX });
  if (read.kind === "absent") return undefined;
  const hash = createHash("sha256");
  if (read.kind === "read") hash.update(`${String(read.stats.mode)}\0`).update(read.bytes);
  else hash.update(`${read.why}\0${read.why === "link" ? readlinkSync(file) : read.problem}`);
  return hash.digest("hex").slice(0, 40);
}
