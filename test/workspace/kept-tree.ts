import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";

/** A folder whose snapshots a workspace keeps, until the test ends. */
export function keptTree(t: TestContext, recentMax?: number) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-kept-tree-"));
  const tree = path.join(folder, "tree");
  mkdirSync(tree);
  const options = { home: path.join(folder, "home"), world: realWorld() };
  const workspace = gitWorkspace(recentMax === undefined ? options : { ...options, recentMax });
  t.after(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let keys = 0;
  const place = { project: tree, tree };
  const take = (rules = {}) =>
    workspace.snapshot({ ...place, key: `key-${String((keys += 1))}`, atMs: keys, rules });
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    writeFileSync(path.join(tree, name), text);
  };
  return { folder, tree, workspace, place, take, write };
}
