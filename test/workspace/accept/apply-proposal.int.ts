import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { imageDifferences, treeImage } from "../tree-image.ts";

/** A proposal that changes, makes and removes files, which is about to be applied while a person may act. */
async function proposed(t: TestContext, acts: Readonly<Record<string, () => void>> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-apply-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = path.join(folder, "tree");
  mkdirSync(tree);
  const put = (name: string, text: string, at = tree): void => writeFileSync(path.join(at, name), text);
  for (const name of ["a", "gone", "same", "z"]) put(name, "one\n");
  const crashPoint = (name: string): void => {
    acts[name]?.();
    Reflect.deleteProperty(acts, name);
  };
  const workspace = gitWorkspace({
    home: path.join(folder, "home"),
    world: { ...realWorld(), crashPoint: (name) => crashPoint(name) },
  });
  t.after(() => workspace.close());
  const place = { project: tree, tree, atMs: 1 };
  const copy = await workspace.copyTree({ ...place, key: "copy", name: "copy" });
  for (const name of ["a", "made", "z"]) put(name, "two\n", copy.tree);
  rmSync(path.join(copy.tree, "gone"));
  const order = { key: "p", project: tree, copy: copy.tree, base: copy.base, rules: [], atMs: 2 };
  const { snapshot } = await workspace.propose(order);
  const apply = () => workspace.applyProposal({ ...place, key: "apply", base: copy.base, snapshot });
  return { tree, put, apply, acts: acts as Record<string, () => void> };
}

test("W5 W11 a proposal is applied whole", async (t) => {
  const { tree, apply } = await proposed(t);
  const applied = await apply();
  assert.equal(applied.kind, "applied");
  assert.deepEqual([...treeImage(tree).keys()].sort(), ["", "a", "made", "same", "z"]);
});

for (const boundary of ["workspace.apply.looked", "workspace.restore.rescued", "workspace.restore.write"])
  test(`W5 W11 what a person writes while a proposal is applied stays, and nothing of the proposal does (${boundary})`, async (t) => {
    const { tree, put, apply, acts } = await proposed(t);
    let expected = treeImage(tree);
    acts[boundary] = () => {
      put("z", "mine\n");
      const z = treeImage(tree).get("z") ?? "";
      expected = new Map([...expected, ["z", z]]);
    };
    assert.deepEqual(await apply(), { kind: "conflict", files: ["z"] });
    assert.deepEqual(imageDifferences(expected, treeImage(tree)), []);
  });
