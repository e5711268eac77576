import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { imageDifferences, treeImage } from "../tree-image.ts";
import { isLeftLocked } from "./acts.ts";
import { isIn, nothingLost } from "./expected-own.ts";
import { isCarriedPath } from "./story-plots.ts";
import type { Answer, Stage } from "./story-orders.ts";
import { gitBytes, type UsersOwn } from "./users-own.ts";

type Image = ReadonlyMap<string, string>;

const digest = (bytes: string): string =>
  createHash("sha256").update(bytes, "latin1").digest("hex").slice(0, 16);

const keyOf = (file: string): string => Buffer.from(file).toString("latin1");

/** The run's tree without what git ignores in it, which no checkpoint holds. */
export const keptImage = (tree: string): Map<string, string> => treeImage(tree, isCarriedPath);

/** What was committed has the bytes that were kept right before. */
export function isAsKept(project: string, { commit = "", files = [] }: Answer, image?: Image): void {
  for (const file of files) {
    if (image?.get(keyOf(file))?.startsWith("file ") !== true) continue;
    const bytes = gitBytes(project, ["cat-file", "blob", `${commit}:${file}`]);
    assert.ok(image.get(keyOf(file))?.endsWith(digest(bytes)), `${file} was committed`);
  }
}

/** What is in a submodule is its own repository's to commit. */
export function keepsSubmodules(project: string, commit: string): void {
  const links = (of: string): string[] =>
    gitBytes(project, ["ls-tree", "-r", of])
      .split("\n")
      .filter((line) => line.startsWith("160000 "));
  assert.deepEqual(links(commit), links(`${commit}^`), "a submodule is one still");
}

/** What an acceptance has replaced of the user's stands in the ref that it names. */
export function isReplacedKept(project: string, own: UsersOwn, { replaced }: Answer): void {
  for (const file of replaced?.files ?? []) {
    const was = own.get(`file ${keyOf(file)}`);
    if (was?.startsWith("file ") !== true || file.includes("\ufffd")) continue;
    const bytes = gitBytes(project, ["cat-file", "blob", `${replaced?.ref ?? ""}:${file}`]);
    assert.ok(was.endsWith(digest(bytes)), `${file} was replaced, and its bytes are gone`);
  }
}

/** What was copied into the run's tree is what the user has, byte for byte. */
export function isCopied({ project, tree }: Stage, { paths = [] }: Answer): void {
  for (const name of paths) {
    const [original, copy] = [path.join(project, name), path.join(tree, name)];
    // Somebody may have removed the tree since.
    if (existsSync(copy))
      nothingLost(imageDifferences(treeImage(original), treeImage(copy)), "a copy differs");
  }
}

/** Git forgets all that nothing names any more: what was committed is still there. */
export function nothingIsLost(stage: Stage, commits: ReadonlySet<string>): void {
  const { project, git } = stage;
  assert.ok(!isLeftLocked(stage), "the user's index is locked for ever");
  git("fsck", "--connectivity-only");
  const named = gitBytes(project, ["for-each-ref", "--format=%(objectname)"]).trim().split("\n");
  for (const commit of commits)
    assert.ok(
      named.some((ref) => isIn(project, commit, ref)),
      `${commit} was committed, and no ref holds it`,
    );
}
