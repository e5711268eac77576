import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fileMirrors } from "../../src/notify/file-mirrors.ts";
import { statusFolder } from "../../src/notify/run-folder.ts";
import { realWorld } from "../../src/real-world.ts";
import { keptTree } from "./kept-tree.ts";
import { plainGit } from "./plain-git.ts";

const TASK = {
  id: "esc_1",
  title: "look at it",
  detail: "",
  reason: null,
  owner: null,
  command: null,
  since: 0,
};

function newTree(t: TestContext) {
  const { tree, workspace, place, take, write } = keptTree(t);
  const mirrors = fileMirrors(realWorld());
  const tasks = (run: string, ...open: (typeof TASK)[]) =>
    mirrors.tasks({ file: path.join(tree, "HUMAN_TASKS.md"), run, tasks: open });
  return { tree, workspace, place, take, write, mirrors, tasks };
}

/** All that the mirrors may leave in a tree at any instant, as files of their own. */
const SCRATCH = [
  ".HUMAN_TASKS.md.lock",
  ".HUMAN_TASKS.md.draft",
  ".HUMAN_TASKS.md.lock.lock_1.draft",
  ".HUMAN_TASKS.md.lock.lock_1.lock_2.draft",
  "packages/one/.HUMAN_TASKS.md.lock.lock_1.draft",
];

test("G4 the digest of a tree is the same no matter what the mirrors write or leave there, and nothing of it is a change", async (t) => {
  const { tree, workspace, place, take, write, mirrors, tasks } = newTree(t);
  write("work.txt", "done\n");
  write("packages/one/a.txt", "a\n");
  const before = await take();
  await tasks("r", TASK);
  await mirrors.status({
    file: path.join(await statusFolder(tree), "r.json"),
    document: { status: "blocked" },
  });
  const mirrored = await take();
  for (const name of SCRATCH) write(name, "{}");
  const littered = await take();
  for (const name of SCRATCH) unlinkSync(path.join(tree, name));
  await tasks("r");
  const after = await take();
  assert.deepEqual(
    [mirrored, littered, after].map(({ digest }) => digest),
    Array.from({ length: 3 }, () => before.digest),
  );
  assert.deepEqual(await workspace.compare(place, before.id, littered.id), { count: 0, changes: [] });
  write("work.txt", "changed\n");
  const changed = await take();
  assert.deepEqual((await workspace.compare(place, littered.id, changed.id)).changes, [
    { path: "work.txt", kind: "modified" },
  ]);
});

test("G4 an empty tree stays empty beside the mirrors, and a flow beside them is seen", async (t) => {
  const { tree, workspace, place, take, write, mirrors } = newTree(t);
  const before = await take();
  await mirrors.status({ file: path.join(await statusFolder(tree), "r.json"), document: {} });
  const mirrored = await take();
  assert.equal(mirrored.digest, before.digest);
  write(".holdfast/flows/one.yaml", "name: one\n");
  const flow = await take();
  assert.deepEqual((await workspace.compare(place, before.id, flow.id)).changes, [
    { path: ".holdfast/flows/one.yaml", kind: "added" },
  ]);
  rmSync(path.join(tree, ".holdfast/flows"), { recursive: true });
  assert.equal((await take()).digest, before.digest);
});

test("G4 in a tasks file that people have made only their part counts", async (t) => {
  const { tree, workspace, place, take, write, tasks } = newTree(t);
  write("HUMAN_TASKS.md", "# Ours\n");
  const before = await take();
  await tasks("r", TASK);
  assert.match(readFileSync(path.join(tree, "HUMAN_TASKS.md"), "utf8"), /look at it/);
  const mirrored = await take();
  assert.equal(mirrored.digest, before.digest);
  write("HUMAN_TASKS.md", `- and this\n${readFileSync(path.join(tree, "HUMAN_TASKS.md"), "utf8")}`);
  const edited = await take();
  assert.deepEqual((await workspace.compare(place, mirrored.id, edited.id)).changes, [
    { path: "HUMAN_TASKS.md", kind: "modified" },
  ]);
});

test("G4 snapshots of a version that kept own files compare as if they had not", async (t) => {
  const { workspace, place, take, write, tasks } = newTree(t);
  write("work.txt", "done\n");
  // As all is kept where a worktree is removed, so it was kept everywhere before.
  const without = await take({ ignored: "keep" });
  await tasks("r", TASK);
  write(".HUMAN_TASKS.md.lock", "{}");
  const withOwn = await take({ ignored: "keep" });
  assert.notEqual(withOwn.digest, without.digest);
  assert.equal((await workspace.compare(place, without.id, withOwn.id)).count, 0);
});

test("W5 a commit holds nothing of Holdfast's own, also where it is named or stands in a file of people", async (t) => {
  const { tree, workspace, write, tasks } = newTree(t);
  plainGit(tree, ["init", "-q", "-b", "main"]);
  write("HUMAN_TASKS.md", "# Ours\n");
  plainGit(tree, ["add", "."]);
  plainGit(tree, ["commit", "-q", "-m", "one"]);
  const head = plainGit(tree, ["rev-parse", "HEAD"]).trim();
  write("HUMAN_TASKS.md", "# Ours, longer\n");
  write("work.txt", "done\n");
  write(".holdfast/status/r.json", "{}");
  await tasks("r", TASK);
  write(".HUMAN_TASKS.md.lock", "{}");
  const committed = await workspace.commit({
    key: "commit",
    project: tree,
    tree,
    files: ["HUMAN_TASKS.md", "work.txt", ".HUMAN_TASKS.md.lock", ".holdfast/status/r.json"],
    message: "two",
    author: { name: "a", email: "a@b" },
    expected: { commit: head, branch: "main" },
    atMs: 1,
  });
  assert.deepEqual(committed.kind === "committed" && committed.files, ["HUMAN_TASKS.md", "work.txt"]);
  assert.equal(plainGit(tree, ["show", "HEAD:HUMAN_TASKS.md"]), "# Ours, longer\n");
  assert.match(readFileSync(path.join(tree, "HUMAN_TASKS.md"), "utf8"), /look at it/);
  assert.equal(plainGit(tree, ["status", "--porcelain", "work.txt"]), "");
});

test("G5 the tasks of a run go where a link beside leads, and its lock and draft keep the names that are Holdfast's", async (t) => {
  const { tree, tasks, write } = newTree(t);
  write("TODO.md", "# Ours\n");
  symlinkSync("TODO.md", path.join(tree, "HUMAN_TASKS.md"));
  const lock = path.join(tree, ".HUMAN_TASKS.md.lock");
  writeFileSync(lock, JSON.stringify({ host: "elsewhere", pid: 1, startedAt: "0", nonce: "lock_1" }));
  const waiting = tasks("r", TASK);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(readFileSync(path.join(tree, "TODO.md"), "utf8"), "# Ours\n");
  unlinkSync(lock);
  assert.deepEqual(await waiting, { kind: "written" });
  assert.match(readFileSync(path.join(tree, "TODO.md"), "utf8"), /look at it/);
});
