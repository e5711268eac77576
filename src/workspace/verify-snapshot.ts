import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { Fault } from "../model/fault.ts";
import { objectId, readObjects } from "./read-objects.ts";
import { runGit } from "./run-git.ts";
import type { Verification } from "./workspace.ts";

/**
 * Shows that what a new snapshot refers to is there and reads back with the right digests: everything reachable from it
 * that its verified predecessor does not reach, and every object of the pack just written.
 */
export async function verifyNew(gitDir: string, id: string, verified: string | null): Promise<void> {
  const since = verified === null ? [] : ["--not", verified];
  await Promise.all([
    runGit({ gitDir, args: ["rev-list", "--objects", "--quiet", id, ...since] }),
    ...newestPacks(gitDir).map((file) => runGit({ gitDir, args: ["verify-pack", file] })),
  ]);
}

/** The pack that an import has just written: the only one that nobody has verified. */
function newestPacks(gitDir: string): string[] {
  const folder = path.join(gitDir, "objects", "pack");
  const packs = readdirSync(folder).filter((name) => name.endsWith(".idx"));
  const newest = packs
    .map((name) => ({ file: path.join(folder, name), at: statSync(path.join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  return newest.slice(0, 1).map(({ file }) => file);
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
