import assert from "node:assert/strict";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { keptTree } from "./kept-tree.ts";
import { plainGit } from "./plain-git.ts";
import { imageDifferences, repositoryImage, treeImage } from "./tree-image.ts";

/** Until nothing in a tree is so fresh that a change could hide behind the clock's grain. */
const aged = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_200));

test("W2 taking and restoring touches nothing of the user's repository: branch, index, stash, reflog, hooks, config", async (t) => {
  const { tree, workspace, place, take, write } = keptTree(t);
  plainGit(tree, ["init", "-q", "-b", "main"]);
  write("a.txt", "one\n");
  plainGit(tree, ["add", "."]);
  plainGit(tree, ["commit", "-q", "-m", "one"]);
  write("a.txt", "stashed\n");
  plainGit(tree, ["stash"]);
  write("a.txt", "staged\n");
  plainGit(tree, ["add", "a.txt"]);
  write("a.txt", "worktree\n");
  write("new.txt", "untracked\n");
  const before = repositoryImage(tree);
  const snapshot = await take();
  write("a.txt", "later\n");
  rmSync(path.join(tree, "new.txt"));
  await workspace.restore({ ...place, key: "back", atMs: 1, snapshot: snapshot.id });
  assert.deepEqual(imageDifferences(before, repositoryImage(tree)), []);
  assert.equal(readFileSync(path.join(tree, "new.txt"), "utf8"), "untracked\n");
  assert.deepEqual(snapshot.head, {
    kind: "git",
    branch: "main",
    commit: plainGit(tree, ["rev-parse", "HEAD"]).trim(),
  });
});

test("W2 the files of a snapshot have the digest that git gives a commit with the same content", async (t) => {
  const { tree, take, write } = keptTree(t);
  plainGit(tree, ["init", "-q", "-b", "main"]);
  write("src/a.ts", "a\n");
  write("src/run.sh", "#!/bin/sh\n");
  chmodSync(path.join(tree, "src/run.sh"), 0o755);
  symlinkSync("src/a.ts", path.join(tree, "link"));
  plainGit(tree, ["add", "."]);
  const expected = plainGit(tree, ["write-tree"]).trim();
  assert.equal((await take()).files, expected);
});

test("W2 the same key is answered from the record, and an unchanged tree is the same snapshot without reading a file", async (t) => {
  const { workspace, place, write } = keptTree(t);
  write("a.txt", "one\n");
  await aged();
  const first = await workspace.snapshot({ ...place, key: "k", atMs: 1 });
  write("b.txt", "two\n");
  assert.deepEqual(await workspace.snapshot({ ...place, key: "k", atMs: 2 }), first);
  const second = await workspace.snapshot({ ...place, key: "k2", atMs: 3 });
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.read, { files: 1, bytes: 4 });
  await aged();
  await workspace.snapshot({ ...place, key: "k3", atMs: 4 });
  const third = await workspace.snapshot({ ...place, key: "k4", atMs: 5 });
  assert.equal(third.id, second.id);
  assert.deepEqual(third.read, { files: 0, bytes: 0 });
  const listed = await workspace.snapshots(place.project, place.tree);
  assert.deepEqual(
    listed.map(({ key }) => key),
    ["k", "k2", "k3", "k4"],
  );
});

test("W2 changes that keep size and times are found, by git's index and without it, in this process and the next", async (t) => {
  for (const recentMax of [0, 10_000]) {
    const { tree, folder, place, take, write } = keptTree(t, recentMax);
    for (let n = 0; n < 20; n += 1) write(`d${String(n % 3)}/f${String(n)}`, `text ${String(n)}\n`);
    await aged();
    await take();
    const sly = path.join(tree, "d1/f1");
    writeFileSync(sly, "TEXT 1\n");
    utimesSync(sly, 1_500_000_000, 1_500_000_000);
    const second = await take();
    writeFileSync(sly, "Text 1\n");
    utimesSync(sly, 1_500_000_000, 1_500_000_000);
    chmodSync(path.join(tree, "d2/f2"), 0o640);
    renameSync(path.join(tree, "d0"), path.join(tree, "moved"));
    symlinkSync("moved", path.join(tree, "d0"));
    const image = treeImage(tree);
    const next = gitWorkspace({ home: path.join(folder, "home"), world: realWorld(), recentMax });
    const third = await next.snapshot({ ...place, key: "next", atMs: 9 });
    const changes = await next.compare(place, second.id, third.id);
    assert.ok(changes.changes.some(({ path: one, kind }) => one === "d1/f1" && kind === "modified"));
    assert.ok(changes.changes.some(({ path: one, kind }) => one === "d2/f2" && kind === "mode"));
    assert.ok(changes.changes.some(({ path: one, kind }) => one === "d0" && kind === "added"));
    await next.restore({ ...place, key: "r1", atMs: 10, snapshot: second.id });
    await next.restore({ ...place, key: "r2", atMs: 11, snapshot: third.id });
    assert.deepEqual(imageDifferences(image, treeImage(tree)), []);
    await next.close();
  }
});

test("W2 what a bound or its kind keeps out is reported with its reason, again at every snapshot, and a restore leaves it alone", async (t) => {
  const { tree, workspace, place, take, write } = keptTree(t);
  write("small", "x");
  const first = await take();
  write("large", "y".repeat(2_000));
  execFileSync("mkfifo", [path.join(tree, "pipe")]);
  const bounds = { fileBytesMax: 1_000 };
  for (const time of ["first", "again"]) {
    const taken = await take(bounds);
    assert.equal(taken.whole, false, time);
    assert.deepEqual(taken.skipped.first, [
      { path: "large", reason: "too_large" },
      { path: "pipe", reason: "special" },
    ]);
  }
  await workspace.restore({ ...place, key: "r", atMs: 1, snapshot: first.id, rules: bounds });
  assert.equal(readFileSync(path.join(tree, "large"), "utf8").length, 2_000);
  truncateSync(path.join(tree, "large"), 10);
  const taken = await take(bounds);
  assert.deepEqual(taken.skipped.first, [{ path: "pipe", reason: "special" }]);
  const many = await take({ filesMax: 1 });
  assert.deepEqual(many.skipped.count, 1, "files that are known already stay");
});

test("W2 ignored files stay out and stay where they are; tracked ones are kept although ignored; a changed rule counts at once", async (t) => {
  const { tree, workspace, place, take, write } = keptTree(t);
  plainGit(tree, ["init", "-q", "-b", "main"]);
  write(".gitignore", "*.log\nbuild/\n");
  write("forced.log", "tracked\n");
  plainGit(tree, ["add", "-f", "forced.log"]);
  write("a.log", "ignored\n");
  write("build/out.o", "ignored\n");
  write("src/main.c", "kept\n");
  const first = await take();
  assert.equal(first.whole, true);
  assert.notEqual(await workspace.readFile(place, first.id, "forced.log"), null);
  for (const name of ["a.log", "build/out.o"])
    assert.equal(await workspace.readFile(place, first.id, name), null, name);
  write(".gitignore", "build/\n");
  write("src/later.c", "later\n");
  const second = await take();
  assert.equal(String(await workspace.readFile(place, second.id, "a.log")), "ignored\n");
  await workspace.restore({ ...place, key: "r", atMs: 1, snapshot: first.id });
  assert.equal(readFileSync(path.join(tree, "build/out.o"), "utf8"), "ignored\n");
  assert.throws(() => readFileSync(path.join(tree, "src/later.c")), /ENOENT/);
  const all = await take({ ignored: "keep" });
  assert.equal(String(await workspace.readFile(place, all.id, "build/out.o")), "ignored\n");
});

test("W2 a damaged store is reported as damaged, and a snapshot that is not there as missing", async (t) => {
  const { folder, workspace, place, take, write } = keptTree(t);
  write("a", "text\n".repeat(100));
  const taken = await take();
  assert.equal((await workspace.verify(place, "0".repeat(40))).kind, "missing");
  await assert.rejects(
    workspace.restore({ ...place, key: "r", atMs: 1, snapshot: "0".repeat(40) }),
    /no whole snapshot/,
  );
  await assert.rejects(workspace.verify(place, "--help"), /no snapshot/);
  const packs = execFileSync("find", [folder, "-name", "*.pack"], { encoding: "utf8" }).trim().split("\n");
  for (const pack of packs) {
    const bytes = readFileSync(pack);
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff;
    rmSync(pack);
    writeFileSync(pack, bytes);
  }
  assert.equal((await workspace.verify(place, taken.id)).kind, "damaged");
});

test("W3 W11 a restore keeps what it overwrites, follows no link, and the same order again does nothing", async (t) => {
  const { folder, tree, workspace, place, take, write } = keptTree(t);
  write("a.txt", "one\n");
  write("sub/deep.txt", "deep\n");
  const first = await take();
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "deep.txt"), "not yours\n");
  rmSync(path.join(tree, "sub"), { recursive: true });
  symlinkSync(outside, path.join(tree, "sub"));
  write("a.txt", "two\n");
  linkSync(path.join(outside, "deep.txt"), path.join(tree, "hard"));
  const order = { ...place, key: "r", atMs: 1, snapshot: first.id };
  const restored = await workspace.restore(order);
  assert.equal(readFileSync(path.join(outside, "deep.txt"), "utf8"), "not yours\n");
  assert.equal(readFileSync(path.join(tree, "sub/deep.txt"), "utf8"), "deep\n");
  assert.equal(String(await workspace.readFile(place, restored.before, "a.txt")), "two\n");
  assert.equal(String(await workspace.readFile(place, restored.before, "sub")), outside);
  write("a.txt", "three\n");
  assert.deepEqual(await workspace.restore(order), restored);
  assert.equal(readFileSync(path.join(tree, "a.txt"), "utf8"), "three\n");
});

test("W3 a restore of named paths leaves everything else as it is", async (t) => {
  const { tree, workspace, place, take, write } = keptTree(t);
  write("rules/a", "rule\n");
  write("src/x", "old\n");
  const first = await take();
  write("rules/a", "tampered\n");
  write("rules/extra", "planted\n");
  write("src/x", "new\n");
  await workspace.restore({ ...place, key: "r", atMs: 1, snapshot: first.id, paths: ["rules"] });
  assert.equal(readFileSync(path.join(tree, "rules/a"), "utf8"), "rule\n");
  assert.throws(() => readFileSync(path.join(tree, "rules/extra")), /ENOENT/);
  assert.equal(readFileSync(path.join(tree, "src/x"), "utf8"), "new\n");
});

test("P5 W2 what checkpoints keep is readable by its owner alone, file by file, no matter what the umask is", async (t) => {
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const { folder, take, write } = keptTree(t);
  write("key.pem", "secret");
  write("deep/file", "text");
  await take();
  write("deep/file", "other text");
  await take();
  const home = path.join(folder, "home");
  const open = readdirSync(home, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, mode: lstatSync(path.join(home, name)).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`);
  assert.deepEqual(open, []);
  assert.equal(lstatSync(home).mode & 0o077, 0);
});
