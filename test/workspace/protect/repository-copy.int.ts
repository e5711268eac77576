import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { RepositoryCopy } from "../../../src/workspace/protect/repository-copy.ts";
import { plainGit } from "../plain-git.ts";
import { treeImage } from "../tree-image.ts";

class Cut extends Error {}

/** A repository with history, something staged and a stash. */
function newRepository(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-copy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = path.join(folder, "project");
  mkdirSync(tree);
  const git = (...args: string[]): string => plainGit(tree, args);
  const put = (text: string): void => writeFileSync(path.join(tree, "file"), text);
  git("init", "-q", "-b", "main");
  put("one\n");
  git("add", ".");
  git("commit", "-qm", "one");
  put("stashed\n");
  git("stash");
  return { tree, git, put, home: path.join(folder, "home") };
}

test("W9 W11 a copy of a repository that is cut off at every boundary leaves the last whole one, and the next look brings it up to date", async (t) => {
  const { tree, git, put, home } = newRepository(t);
  const open = (cutAt?: string): RepositoryCopy =>
    new RepositoryCopy(
      {
        crashPoint: (name) => {
          if (name === cutAt) throw new Cut(name);
        },
      },
      home,
      tree,
    );
  const image = () => treeImage(path.join(tree, ".git"));
  assert.ok(await open().keep());
  for (const point of [
    "workspace.repository.copied",
    "workspace.repository.compared",
    "workspace.repository.named",
  ]) {
    const before = image();
    put(`staged at ${point}\n`);
    git("add", ".");
    const after = image();
    await assert.rejects(open(point).keep(), Cut);
    rmSync(path.join(tree, ".git/refs"), { recursive: true });
    assert.equal(await open().isSound(), false);
    await open().bringBack();
    const isNamed = point.endsWith("named");
    // Objects of the newer state have been kept: one more that nothing names harms nobody.
    const now = [...image()].filter(([name]) => !/^objects\b/.test(name));
    const expected = [...(isNamed ? after : before)].filter(([name]) => !/^objects\b/.test(name));
    assert.deepEqual(now, expected, point);
    assert.equal(git("stash", "list").split("\n").length, 2);
    put(`staged at ${point}\n`);
    git("add", ".");
    assert.ok(await open().keep());
  }
});
