import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { plainGit } from "./plain-git.ts";
import { imageDifferences, repositoryImage, treeImage } from "./tree-image.ts";

function newProject(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-worktrees-"));
  const project = path.join(folder, "project");
  mkdirSync(project);
  plainGit(project, ["init", "-q", "-b", "main"]);
  writeFileSync(path.join(project, "a.txt"), "one\n");
  writeFileSync(path.join(project, "run.sh"), "#!/bin/sh\n");
  chmodSync(path.join(project, "run.sh"), 0o755);
  writeFileSync(path.join(project, ".gitignore"), "*.log\n");
  plainGit(project, ["add", "."]);
  plainGit(project, ["commit", "-q", "-m", "one"]);
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world: realWorld() });
  t.after(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const make = (name: string) =>
    workspace.createWorktree({
      key: `make-${name}`,
      project,
      tree: path.join(folder, "trees", name),
      branch: `holdfast/${name}`,
      ports: { from: 20_000, count: 10 },
      commands: { setup: "npm ci" },
    });
  return { folder, project, workspace, make };
}

const author = { name: "A User", email: "user@example.test" };

test("W1 a worktree stands outside the user's tree on its own branch, and git takes it for one of its own", async (t) => {
  const { project, workspace, make } = newProject(t);
  const before = treeImage(project);
  const one = await make("one");
  assert.deepEqual(await make("one"), one);
  const two = await make("two");
  assert.deepEqual([one.slot, two.slot], [0, 1]);
  assert.deepEqual(
    [one.ports, two.ports],
    [
      { first: 20_000, count: 10 },
      { first: 20_010, count: 10 },
    ],
  );
  assert.deepEqual(one.commands, { setup: "npm ci" });
  assert.equal(plainGit(one.tree, ["status", "--porcelain"]), "");
  assert.equal(plainGit(one.tree, ["branch", "--show-current"]).trim(), "holdfast/one");
  assert.match(plainGit(project, ["worktree", "list"]), /trees\/one .*\[holdfast\/one\]/);
  assert.equal(plainGit(project, ["worktree", "prune", "-v"]), "");
  writeFileSync(path.join(one.tree, "b.txt"), "two\n");
  plainGit(one.tree, ["add", "b.txt"]);
  plainGit(one.tree, ["commit", "-q", "-m", "by the agent"]);
  plainGit(project, ["fsck", "--strict"]);
  assert.deepEqual(imageDifferences(before, treeImage(project)), []);
  assert.deepEqual(await workspace.worktrees(project), [one, two]);
});

test("W1 a worktree is refused inside the user's tree, over something, on a branch that exists, and under no name", async (t) => {
  const { folder, project, workspace } = newProject(t);
  const order = { key: "k", project, tree: path.join(folder, "t"), branch: "b" };
  await assert.rejects(workspace.createWorktree({ ...order, tree: path.join(project, "t") }), /outside/);
  await assert.rejects(workspace.createWorktree({ ...order, branch: "--help" }), /no name for a branch/);
  await assert.rejects(workspace.createWorktree({ ...order, branch: "a..b" }), /no name for a branch/);
  await assert.rejects(workspace.createWorktree({ ...order, from: "--all" }), /no commit/);
  plainGit(project, ["checkout", "-q", "-b", "taken"]);
  plainGit(project, ["commit", "-q", "--allow-empty", "-m", "two"]);
  plainGit(project, ["checkout", "-q", "main"]);
  await assert.rejects(workspace.createWorktree({ ...order, branch: "taken" }), /exists/);
  mkdirSync(path.join(folder, "full"));
  writeFileSync(path.join(folder, "full", "mine"), "x");
  await assert.rejects(workspace.createWorktree({ ...order, tree: path.join(folder, "full") }), /not empty/);
  assert.equal(readFileSync(path.join(folder, "full", "mine"), "utf8"), "x");
});

test("W11 a worktree goes only when all of it is in a snapshot, ignored and staged work included, and comes back from it", async (t) => {
  const { folder, project, workspace, make } = newProject(t);
  const { tree, branch } = await make("one");
  writeFileSync(path.join(tree, "staged.txt"), "only staged\n");
  plainGit(tree, ["add", "staged.txt"]);
  rmSync(path.join(tree, "staged.txt"));
  writeFileSync(path.join(tree, "secret.log"), "ignored\n");
  writeFileSync(path.join(tree, "a.txt"), "uncommitted\n");
  const image = treeImage(tree);
  const order = { project, tree, key: "gone", atMs: 1 };
  const kept = await workspace.removeWorktree({ ...order, key: "too-early", rules: { fileBytesMax: 5 } });
  assert.equal(kept.kind, "kept");
  assert.deepEqual(imageDifferences(image, treeImage(tree)), []);
  const removed = await workspace.removeWorktree(order);
  assert.equal(removed.kind, "removed");
  assert.deepEqual(await workspace.removeWorktree(order), removed);
  assert.ok(!existsSync(tree));
  const [store = ""] = readdirSync(path.join(folder, "home")).filter((name) => name.startsWith("project-"));
  const left = readdirSync(path.join(folder, "home", store)).filter((name) => name.startsWith("index-"));
  assert.deepEqual(left, []);
  assert.doesNotMatch(plainGit(project, ["worktree", "list"]), /trees\/one/);
  assert.match(plainGit(project, ["branch"]), new RegExp(branch));
  const refs = plainGit(project, ["for-each-ref", "--format=%(refname)", "refs/holdfast/kept"]).trim();
  assert.equal(plainGit(project, ["show", `${refs}:staged.txt`]), "only staged\n");
  const back = path.join(folder, "back");
  mkdirSync(back);
  await workspace.restore({ project, tree: back, key: "back", atMs: 2, snapshot: String(removed.snapshot) });
  assert.deepEqual(imageDifferences(image, treeImage(back)), []);
  assert.deepEqual(await workspace.worktrees(project), []);
  await assert.rejects(
    workspace.removeWorktree({ ...order, key: "x", tree: project }),
    /no worktree that Holdfast made/,
  );
});

test("W5 exactly the files named are committed, with the user's name, and the rest stays as it was", async (t) => {
  const { project, workspace } = newProject(t);
  const head = await workspace.head(project);
  assert.equal(head.kind, "git");
  const expected = { branch: "main", commit: head.kind === "git" ? head.commit : null };
  writeFileSync(path.join(project, "a.txt"), "accepted\n");
  writeFileSync(path.join(project, "new\nline.txt"), "new\n");
  writeFileSync(path.join(project, "other.txt"), "not asked for\n");
  rmSync(path.join(project, "run.sh"));
  const files = ["a.txt", "new\nline.txt", "run.sh"];
  const order = { project, tree: project, key: "c", atMs: 5_000, files, message: "Accept", author, expected };
  const committed = await workspace.commit(order);
  assert.equal(committed.kind, "committed");
  assert.deepEqual(await workspace.commit(order), committed);
  assert.equal(
    plainGit(project, ["log", "-1", "--format=%an <%ae> %s"]).trim(),
    "A User <user@example.test> Accept",
  );
  assert.equal(plainGit(project, ["status", "--porcelain"]).trim(), "?? other.txt");
  assert.equal((await workspace.commit({ ...order, key: "late", files: ["other.txt"] })).kind, "moved");
  const now = { branch: "main", commit: committed.kind === "committed" ? committed.commit : null };
  assert.equal((await workspace.commit({ ...order, key: "same", expected: now })).kind, "nothing");
  for (const bad of ["../outside", ".git/config", "/etc/passwd"])
    await assert.rejects(
      workspace.commit({ ...order, key: bad, files: [bad], expected: now }),
      /cannot be committed/,
    );
  writeFileSync(path.join(project, ".gitattributes"), "*.bin filter=lfs\n");
  writeFileSync(path.join(project, "x.bin"), "large\n");
  assert.deepEqual(await workspace.commit({ ...order, key: "f", files: ["x.bin"], expected: now }), {
    kind: "filtered",
    files: ["x.bin"],
  });
  plainGit(project, ["fsck", "--strict"]);
});

test("W5 a file that a filter decides about is left to the user, and once they have committed it nothing is left to do", async (t) => {
  const { workspace, project } = newProject(t);
  const headOf = () => ({ branch: "main", commit: plainGit(project, ["rev-parse", "HEAD"]).trim() });
  const order = { project, tree: project, atMs: 5_000, message: "Accept", author };
  const files = ["x.bin", "plain"];
  const file = path.join(project, "x.bin");
  writeFileSync(path.join(project, ".gitattributes"), "*.bin filter=shout\n");
  writeFileSync(file, "large\n");
  writeFileSync(path.join(project, "plain"), "plain\n");
  // Older than the index that git writes of it, so that git need not read it again.
  utimesSync(file, 1, 1);
  const before = await workspace.commit({ ...order, key: "a", files, expected: headOf() });
  assert.deepEqual(before, { kind: "filtered", files: ["x.bin"] });

  plainGit(project, ["-c", "filter.shout.clean=tr a-z A-Z", "add", ".gitattributes", "x.bin"]);
  const staged = await workspace.commit({ ...order, key: "b", files, expected: headOf() });
  assert.equal(staged.kind, "filtered", "it is in no commit yet");
  plainGit(project, ["commit", "-qm", "by hand"]);
  const rest = await workspace.commit({ ...order, key: "c", files, expected: headOf() });
  assert.ok(rest.kind === "committed");
  assert.deepEqual(rest.files, ["plain"]);
  assert.equal(plainGit(project, ["show", "HEAD:x.bin"]), "LARGE\n");
  const nothing = await workspace.commit({ ...order, key: "d", files: ["x.bin"], expected: headOf() });
  assert.equal(nothing.kind, "nothing");
  writeFileSync(file, "other\n");
  const again = await workspace.commit({ ...order, key: "e", files: ["x.bin"], expected: headOf() });
  assert.equal(again.kind, "filtered");
});

test("W5 the first commit of a repository and one in a worktree are made the same way", async (t) => {
  const { folder, workspace, make, project } = newProject(t);
  const empty = path.join(folder, "empty");
  mkdirSync(empty);
  plainGit(empty, ["init", "-q", "-b", "main"]);
  writeFileSync(path.join(empty, "a"), "a\n");
  const order = { key: "c", atMs: 5_000, files: ["a"], message: "First", author };
  const first = await workspace.commit({
    ...order,
    project: empty,
    tree: empty,
    expected: { branch: "main", commit: null },
  });
  assert.equal(first.kind, "committed");
  assert.equal(plainGit(empty, ["status", "--porcelain"]), "");
  const one = await make("one");
  writeFileSync(path.join(one.tree, "a.txt"), "in the worktree\n");
  const second = await workspace.commit({
    ...order,
    key: "w",
    project,
    tree: one.tree,
    files: ["a.txt"],
    expected: { branch: one.branch, commit: one.from },
  });
  assert.equal(second.kind, "committed");
  assert.equal(plainGit(one.tree, ["status", "--porcelain"]), "");
  assert.equal(plainGit(project, ["status", "--porcelain"]), "");
});

test("W2 released snapshots are freed, the others stay whole, and what is still the last one can be taken again", async (t) => {
  const { project, workspace } = newProject(t);
  const place = { project, tree: project };
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) {
    writeFileSync(path.join(project, "a.txt"), `${String(n)}\n`.repeat(50));
    ids.push((await workspace.snapshot({ ...place, key: `k${String(n)}`, atMs: n })).id);
  }
  const keys = ids.slice(0, 29).map((_, n) => `k${String(n)}`);
  assert.deepEqual(await workspace.release({ project, keys: [...keys.slice(0, 10), "unknown"] }), {
    released: 10,
  });
  assert.equal((await workspace.verify(place, ids[0] ?? "")).kind, "missing");
  assert.equal((await workspace.verify(place, ids[10] ?? "")).kind, "whole");
  assert.equal((await workspace.verify(place, ids[29] ?? "")).kind, "whole");
  await workspace.release({ project, keys: [...keys, "k29"] });
  const again = await workspace.snapshot({ ...place, key: "again", atMs: 99 });
  assert.equal(again.id, ids[29]);
  await workspace.release({ project, keys: [] });
  assert.equal((await workspace.verify(place, again.id)).kind, "whole");
  assert.equal((await workspace.snapshots(project)).length, 1);
});

test("W2 F2 a snapshot goes to a shared remote and comes back whole on another host", async (t) => {
  const { folder, project, workspace } = newProject(t);
  const remote = path.join(folder, "remote.git");
  plainGit(folder, ["init", "-q", "--bare", remote]);
  writeFileSync(path.join(project, "untracked"), "work\n");
  const image = treeImage(project);
  const taken = await workspace.snapshot({ project, tree: project, key: "k", atMs: 1 });
  await workspace.push(project, taken.id, remote);
  const other = gitWorkspace({ home: path.join(folder, "other-home"), world: realWorld() });
  t.after(() => other.close());
  const there = path.join(folder, "there");
  mkdirSync(there);
  await other.fetch(there, taken.id, remote);
  await other.restore({ project: there, tree: there, key: "r", atMs: 2, snapshot: taken.id });
  assert.deepEqual(imageDifferences(image, treeImage(there)), []);
  await assert.rejects(other.fetch(there, taken.id, "ext::sh -c evil"), /no remote/);
  await assert.rejects(other.fetch(there, "0".repeat(40), remote), /git fetch/);
});

test("W2 a repository owned by somebody else is looked at without asking git who may", async (t) => {
  if (process.getuid?.() !== 0) {
    t.skip("only root can give a tree to somebody else");
    return;
  }
  const { project, workspace } = newProject(t);
  execFileSync("chown", ["-R", "12345:12345", project]);
  assert.throws(() => plainGit(project, ["status"]), /dubious ownership/);
  const before = repositoryImage(project);
  const taken = await workspace.snapshot({ project, tree: project, key: "k", atMs: 1 });
  assert.equal(taken.head.kind, "git");
  assert.equal(taken.whole, true);
  assert.deepEqual(imageDifferences(before, repositoryImage(project)), []);
});

test("W7 W8 how commits stand to each other is reported, and whether two lines of work can be merged, without touching a tree", async (t) => {
  const { project, workspace, make } = newProject(t);
  const place = { project, tree: project };
  const [one, two, three] = [await make("one"), await make("two"), await make("three")];
  const work = (tree: string, name: string, text: string): string => {
    writeFileSync(path.join(tree, name), text);
    plainGit(tree, ["add", name]);
    plainGit(tree, ["commit", "-q", "-m", name]);
    return plainGit(tree, ["rev-parse", "HEAD"]).trim();
  };
  const a = work(one.tree, "a.txt", "first\n");
  const b = work(two.tree, "a.txt", "second\n");
  const c = work(three.tree, "c.txt", "third\n");
  const before = treeImage(project);
  assert.deepEqual(await workspace.compareCommits(place, one.from, a), {
    relation: "forward",
    files: ["a.txt"],
    count: 1,
  });
  const relations = await Promise.all(
    [
      [a, a],
      [a, one.from],
      [a, b],
      [a, "0".repeat(40)],
    ].map(async ([from = "", to = ""]) => (await workspace.compareCommits(place, from, to)).relation),
  );
  assert.deepEqual(relations, ["same", "back", "apart", "unknown"]);
  assert.deepEqual(await workspace.tryMerge(place, a, b), { kind: "conflict", files: ["a.txt"] });
  assert.equal((await workspace.tryMerge(place, a, c)).kind, "clean");
  assert.equal((await workspace.tryMerge(place, a, "0".repeat(40))).kind, "unknown");
  await assert.rejects(workspace.tryMerge(place, a, "--help"), /no commit/);
  assert.deepEqual(imageDifferences(before, treeImage(project)), []);
});

test("W2 a store whose records are lost or damaged finds its snapshots by their commits", async (t) => {
  const { folder, project, workspace } = newProject(t);
  const place = { project, tree: project };
  const first = await workspace.snapshot({ ...place, key: "first", atMs: 1, note: "why" });
  writeFileSync(path.join(project, "a.txt"), "changed\n");
  const second = await workspace.snapshot({ ...place, key: "second", atMs: 2 });
  await workspace.close();
  const home = path.join(folder, "home");
  const [store = ""] = readdirSync(home).filter((name) => name.startsWith("project-"));
  for (const damage of ["lost", "damaged"]) {
    for (const name of ["state.db", "state.db-wal", "state.db-shm"])
      rmSync(path.join(home, store, name), { force: true });
    if (damage === "damaged") writeFileSync(path.join(home, store, "state.db"), "nonsense\n".repeat(1_000));
    const next = gitWorkspace({ home, world: realWorld() });
    assert.deepEqual((await next.snapshots(project)).slice(0, 2), [first, second], damage);
    const again = await next.snapshot({ ...place, key: "third", atMs: 3 });
    assert.equal(again.digest, second.digest);
    await next.restore({ ...place, key: `r-${damage}`, atMs: 4, snapshot: first.id });
    assert.equal(readFileSync(path.join(project, "a.txt"), "utf8"), "one\n");
    writeFileSync(path.join(project, "a.txt"), "changed\n");
    await next.release({ project, keys: ["third", `r-${damage}/before/1`, `r-${damage}/before/2`] });
    await next.close();
  }
});

test("W2 a git that frees objects for a process that died is waited for before anybody counts on them", async (t) => {
  const { folder, project, workspace } = newProject(t);
  await workspace.snapshot({ project, tree: project, key: "k", atMs: 1 });
  const [store = ""] = readdirSync(path.join(folder, "home")).filter((name) => name.startsWith("project-"));
  const orphan = spawn("sh", ["-c", "read line", "repack", "x"], { stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise((resolve) => orphan.once("exit", resolve));
  t.after(() => orphan.kill("SIGKILL"));
  writeFileSync(path.join(folder, "home", store, "freeing"), String(orphan.pid));
  let taken = false;
  const next = workspace.snapshot({ project, tree: project, key: "k2", atMs: 2 }).then(() => (taken = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(taken, false);
  orphan.stdin.end();
  await ended;
  await next;
  assert.ok(taken);
});

test("W1 W6 a branch with letters of any alphabet is found where it stands", async (t) => {
  const { folder, project, workspace } = newProject(t);
  const from = plainGit(project, ["rev-parse", "HEAD"]).trim();
  for (const branch of ["ünï-ß", "日本", "a\u00a0"]) {
    const tree = path.join(folder, "trees", branch);
    await workspace.createWorktree({ key: branch, project, tree, branch });
    assert.deepEqual(await workspace.head(tree), { kind: "git", commit: from, branch });
  }
});
