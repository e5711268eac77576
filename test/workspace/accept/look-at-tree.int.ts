import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";

const author = { name: "A User", email: "user@example.test" };

function newProject(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-look-"));
  const project = path.join(folder, "project");
  mkdirSync(project);
  const put = (name: string, text: string): void => writeFileSync(path.join(project, name), text);
  const git = (...args: string[]): string => plainGit(project, args).trim();
  git("init", "-q", "-b", "main");
  put("one", "one\n");
  put(".gitignore", "ignored\n");
  git("add", ".");
  git("commit", "-qm", "one");
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world: realWorld() });
  t.after(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { project, put, git, workspace, place: { project, tree: project, atMs: 1_000 } };
}

test("G6 a look shows what differs from what was seen, beside ignored files and those set aside; each look is of the tree as it is", async (t) => {
  const { put, workspace, place } = newProject(t);
  const { id, digest } = await workspace.snapshot({ ...place, key: "seen" });
  const since = { snapshot: id, digest };
  assert.deepEqual(await workspace.look({ ...place, since }), { digest, moved: null });
  put("ignored", "x\n");
  assert.equal((await workspace.look({ ...place, since })).moved, null);
  put("report.txt", "x\n");
  put("one", "two\n");
  const looked = await workspace.look({ ...place, since, aside: ["report*"] });
  assert.deepEqual(looked.moved, { files: ["one"], count: 1 });
  assert.deepEqual((await workspace.look({ ...place, since })).moved?.files, ["one", "report.txt"]);
  put("one", "one\n");
  assert.equal((await workspace.look({ ...place, since, aside: ["report*"] })).moved, null);
  assert.equal((await workspace.snapshots(place.project)).length, 1, "a look leaves no record");
});

test("G6 a key that is taken again holds the tree as it is, and everything can be released afterwards", async (t) => {
  const { put, workspace, place } = newProject(t);
  const first = await workspace.snapshot({ ...place, key: "slot", again: true });
  put("one", "two\n");
  const second = await workspace.snapshot({ ...place, key: "slot", again: true });
  assert.notEqual(second.digest, first.digest);
  const other = await workspace.snapshot({ ...place, key: "other" });
  await workspace.release({ project: place.project, keys: ["other"] });
  assert.equal(other.id, second.id);
  assert.equal((await workspace.verify(place, second.id)).kind, "whole");
  assert.deepEqual(await workspace.release({ project: place.project, keys: ["slot"] }), { released: 1 });
});

test("G6 W5 a commit of files that are not what was proved moves neither branch nor tag, and names them", async (t) => {
  const { project, put, git, workspace, place } = newProject(t);
  put("one", "proved\n");
  const { id, digest } = await workspace.snapshot({ ...place, key: "seen" });
  const head = git("rev-parse", "HEAD");
  const order = {
    ...place,
    key: "commit",
    files: ["one"],
    message: "work\n",
    author,
    tag: "good",
    expected: { commit: head, branch: "main" },
    proved: { tree: project, since: { snapshot: id, digest }, aside: [] },
  };
  put("one", "something else\n");
  const refused = { kind: "unproved", moved: { files: ["one"], count: 1 } };
  assert.deepEqual(await workspace.commit(order), refused);
  assert.deepEqual([git("rev-parse", "HEAD"), git("tag", "--list")], [head, ""]);
  put("one", "proved\n");
  assert.equal((await workspace.commit(order)).kind, "committed");
  assert.equal(git("show", "good:one"), "proved");
});
