import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { changeTree, generateTree } from "./generated-tree.ts";
import { plainGit } from "./plain-git.ts";
import { imageDifferences, treeImage } from "./tree-image.ts";

const STEPS = 2;

/**
 * One generated tree is snapshotted, changed and snapshotted again and again; then it is put back to every snapshot, in
 * some order, and must each time be what it was, byte by byte and mode by mode.
 */
export async function liveAndRestore(seed: number): Promise<void> {
  const folder = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-trees-"));
  const tree = path.join(folder, "tree");
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world: realWorld() });
  try {
    const generated = generateTree(tree, seed);
    const place = { project: tree, tree, rules: { ignored: "keep" as const } };
    const kept: { id: string; image: Map<string, string> }[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const image = treeImage(tree);
      const snapshot = await workspace.snapshot({ ...place, key: `s${String(step)}`, atMs: step });
      assert.deepEqual(snapshot.skipped, { count: 0, first: [] }, `seed ${String(seed)}`);
      kept.push({ id: snapshot.id, image });
      changeTree(generated);
    }
    for (const [index, { id, image }] of [...kept, ...kept.slice(0, 1)].entries()) {
      const restored = await workspace.restore({ ...place, key: `r${String(index)}`, atMs: 9, snapshot: id });
      assert.deepEqual(restored.left, { count: 0, first: [] }, `seed ${String(seed)}`);
      assert.deepEqual(imageDifferences(image, treeImage(tree)), [], `seed ${String(seed)}, snapshot ${id}`);
    }
    const last = await workspace.snapshot({ ...place, key: "last", atMs: 10 });
    assert.equal((await workspace.verify(place, last.id)).kind, "whole");
    const [store = ""] = readdirSync(path.join(folder, "home"));
    const gitDir = path.join(folder, "home", store, "git");
    plainGit(gitDir, ["fsck", "--strict", "--no-dangling"], { GIT_DIR: gitDir });
  } finally {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
