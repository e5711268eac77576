import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { World } from "../../src/model/world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { plainGit } from "./plain-git.ts";
import { treeImage } from "./tree-image.ts";
import { digestOf } from "./workspace-life.ts";

/** Only what `release` was told to forget may be gone: the content that the snapshot `second` alone held. */
const FORGOTTEN = ["two\n"].map(digestOf);

/** What must hold when a life is over, however often it was cut off. Empty where all of it does. */
export async function lifeProblems(folder: string, world: World): Promise<string[]> {
  const project = path.join(folder, "project");
  const problems: string[] = [];
  const expect = (holds: boolean, text: string): void => void (holds || problems.push(text));
  const image = treeImage(project);
  const names = [...image.keys()].sort().join(" ");
  expect(names === " a.txt lib lib/b.txt untracked untracked/c.txt", `the tree holds ${names}`);
  expect(readFileSync(path.join(project, "a.txt"), "utf8") === "one\n", "a.txt was not restored");
  expect(!existsSync(path.join(folder, "trees", "one")), "the worktree still stands");
  const log = plainGit(project, ["log", "--format=%s", "holdfast/one"]).trim().split("\n");
  expect(log.join(",") === "Accept,one", `the branch holds ${log.join(",")}`);
  expect(
    plainGit(project, ["worktree", "list", "--porcelain"]).split("worktree ").length === 2,
    "git lists a worktree",
  );
  for (const repository of [project, storeOf(folder)]) fsck(repository, problems);
  for (const lost of await lostBytes(folder, world)) problems.push(`lost: ${lost}`);
  return problems;
}

const storeOf = (folder: string): string => {
  const [store = ""] = readdirSync(path.join(folder, "home")).filter((name) => name.startsWith("project-"));
  return path.join(folder, "home", store, "git");
};

function fsck(repository: string, problems: string[]): void {
  try {
    plainGit(repository, ["fsck", "--strict", "--no-dangling"]);
  } catch (error) {
    problems.push(`git fsck of ${repository}: ${String(error).slice(0, 300)}`);
  }
}

/** Every content that ever stood in a tree is there, or in a snapshot that reads back whole, or was to be forgotten. */
async function lostBytes(folder: string, world: World): Promise<string[]> {
  const project = path.join(folder, "project");
  const place = { project, tree: project };
  const kept = new Set(FORGOTTEN);
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world });
  try {
    for (const { id, key } of await workspace.snapshots(project)) {
      const verification = await workspace.verify(place, id);
      if (verification.kind !== "whole") return [`snapshot ${key} is ${verification.kind}`];
    }
    const oids = plainGit(storeOf(folder), ["rev-list", "--objects", "--no-object-names", "--all"])
      .trim()
      .split("\n");
    const types = plainGit(storeOf(folder), ["cat-file", "--batch-check", "--batch-all-objects"])
      .trim()
      .split("\n");
    const blobs = new Set(types.filter((line) => line.includes(" blob ")).map((line) => line.split(" ")[0]));
    for (const oid of oids.filter((one) => blobs.has(one)))
      kept.add(digestOf(plainGit(storeOf(folder), ["cat-file", "blob", oid])));
  } finally {
    await workspace.close();
  }
  const written = readFileSync(path.join(folder, "bytes"), "utf8").trim().split("\n");
  return [...new Set(written)].filter((line) => !kept.has(line.split(" ")[0] ?? ""));
}
