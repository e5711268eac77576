import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { objectId, readObjects } from "./read-objects.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { Verification } from "../workspace.ts";

/**
 * Shows that what an import has just written reads back as it was meant.
 *
 * Git has refused to name a file in the new trees whose bytes are not in the store under the digest that we computed;
 * the trees are those of the last, verified snapshot, changed. What remains is the new pack: it must be on disk with
 * the checksum that ends it.
 */
export function verifyPacks(gitDir: string, known: ReadonlySet<string>): void {
  for (const name of packsOf(gitDir)) {
    if (known.has(name)) continue;
    const stem = path.join(gitDir, "objects", "pack", name);
    for (const file of [`${stem}.pack`, `${stem}.idx`])
      if (!endsWithChecksum(file))
        throw new Fault(
          "store_failed",
          `${file} does not read back as it was written; expected its checksum: check the disk`,
          {
            retry: "later",
          },
        );
  }
}

export const packsOf = (gitDir: string): Set<string> =>
  new Set(
    readdirSync(path.join(gitDir, "objects", "pack"))
      .filter((name) => name.endsWith(".idx"))
      .map((name) => name.slice(0, -4)),
  );

const CHECKSUM_BYTES = 20;
const CHUNK_BYTES = 2 ** 20;

function endsWithChecksum(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const end = fstatSync(handle).size - CHECKSUM_BYTES;
    const hash = createHash("sha1");
    const chunk = Buffer.allocUnsafe(Math.max(CHECKSUM_BYTES, Math.min(CHUNK_BYTES, Math.max(0, end))));
    for (let at = 0; at < end;) {
      const read = readSync(handle, chunk, 0, Math.min(chunk.length, end - at), at);
      if (read === 0) return false;
      hash.update(chunk.subarray(0, read));
      at += read;
    }
    readSync(handle, chunk, 0, CHECKSUM_BYTES, end);
    return end > 0 && hash.digest().equals(chunk.subarray(0, CHECKSUM_BYTES));
  } finally {
    closeSync(handle);
  }
}

const PROBLEMS_MAX = 20;

/** Reads back all of a snapshot. */
export async function verifyWhole(gitDir: string, id: string): Promise<Verification> {
  if (!/^[0-9a-f]{40}$/.test(id))
    throw new Fault("usage", `"${id}" is no snapshot; expected the 40 digits that a snapshot is known by`);
  const found = await runGit({ gitDir, args: ["cat-file", "-e", id], answers: [1, 128] });
  if (found.code !== 0) return { kind: "missing" };
  const listed = await runGit({
    gitDir,
    args: ["rev-list", "--objects", "--no-object-names", id],
    limitMs: LONG_LIMIT_MS,
    answers: [1, 128],
  });
  const objects = listed.output.toString("latin1").split("\n").filter(Boolean);
  if (listed.code !== 0) return { kind: "damaged", problems: [`objects of ${id} are missing`] };
  const problems = await unreadable(gitDir, objects);
  if (problems.length === 0) return { kind: "whole", objects: objects.length };
  return { kind: "damaged", problems: problems.slice(0, PROBLEMS_MAX) };
}

async function unreadable(gitDir: string, objects: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (let at = 0; at < objects.length && problems.length < PROBLEMS_MAX; at += OBJECTS_AT_ONCE) {
    const asked = objects.slice(at, at + OBJECTS_AT_ONCE);
    const read = await readObjects(gitDir, asked);
    if (read === null) return [`objects of the store cannot be read`];
    for (const oid of asked) {
      const found = read.get(oid);
      if (found === undefined) problems.push(`object ${oid} is missing`);
      else if (objectId(found.type, found.bytes) !== oid)
        problems.push(`object ${oid} does not match its digest`);
    }
  }
  return problems;
}

const OBJECTS_AT_ONCE = 400;
