import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";
import { OrderGiver } from "../repositories/order-giver.ts";

const author = { name: "A User", email: "user@example.test" };
const BRANCH = "holdfast/run";

/** A worktree with one commit of Holdfast's, and a change in a snapshot that is in no commit. */
async function newTree(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-mend-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const project = path.join(folder, "project");
  const tree = path.join(folder, "trees", "run");
  mkdirSync(project);
  const git = (...args: string[]): string => plainGit(project, args).trim();
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(project, "base"), "base\n");
  writeFileSync(path.join(project, ".gitignore"), "built\n");
  git("add", ".");
  git("commit", "-qm", "begin");
  const open = (world: World = realWorld()) => gitWorkspace({ home: path.join(folder, "home"), world });
  const workspace = open();
  t.after(() => workspace.close());
  await workspace.createWorktree({ key: "make", project, tree, branch: BRANCH });
  const put = (name: string, text: string): void => writeFileSync(path.join(tree, name), text);
  put("done", "done\n");
  const from = git("rev-parse", BRANCH);
  const committed = await workspace.commit({
    ...{ key: "c", project, tree, files: ["done"], message: "done", author, atMs: 1 },
    expected: { commit: from, branch: BRANCH },
  });
  assert.ok(committed.kind === "committed", JSON.stringify(committed));
  put("half", "half\n");
  put("base", "changed\n");
  await workspace.snapshot({ key: "s", project, tree, atMs: 2 });
  const order = { project, tree, branch: BRANCH, commit: committed.commit, atMs: 3 };
  const read = (name: string): string => readFileSync(path.join(tree, name), "utf8");
  return { folder, project, tree, git, open, workspace, order, read, put, commit: committed.commit };
}

type Tree = Awaited<ReturnType<typeof newTree>>;

const isWhole = ({ read, tree, git, commit }: Tree): void => {
  assert.deepEqual([read("done"), read("half"), read("base")], ["done\n", "half\n", "changed\n"]);
  assert.equal(git("rev-parse", BRANCH), commit);
  assert.equal(plainGit(tree, ["status", "--porcelain"]), " M base\n?? half\n");
};

test("W3 a worktree whose folder was deleted, and whose record git has pruned, is made again with its commits and its checkpoint", async (t) => {
  const made = await newTree(t);
  assert.equal(await made.workspace.mendWorktree(made.order), null, "nothing is missing");
  rmSync(path.dirname(made.tree), { recursive: true });
  assert.deepEqual(await made.workspace.mendWorktree(made.order), { branch: false, folder: true });
  isWhole(made);
  rmSync(made.tree, { recursive: true });
  made.git("worktree", "prune");
  assert.deepEqual(await made.workspace.mendWorktree(made.order), { branch: false, folder: true });
  isWhole(made);
});

/** Killed while it holds the index of the tree. */
async function killedInCommit({ folder, project, tree, git, put }: Tree): Promise<void> {
  put("more", "more\n");
  const giver = new OrderGiver();
  const order = {
    ...{ key: "killed", project, tree, files: ["more"], message: "more", author, atMs: 4 },
    expected: { commit: git("rev-parse", BRANCH), branch: BRANCH },
  };
  const crashAt = { name: "workspace.commit.moved", occurrence: 1 };
  const answer = await giver.give({
    ...{ home: path.join(folder, "home"), method: "commit", order: [order], crashAt },
  });
  assert.equal(answer, null);
}

test("W3 W11 a worktree whose folder was deleted after a process was killed with the lock of its index is made again", async (t) => {
  const made = await newTree(t);
  await made.workspace.close();
  await killedInCommit(made);
  const record = plainGit(made.tree, ["rev-parse", "--absolute-git-dir"]).trim();
  assert.ok(existsSync(path.join(record, "index.lock")), "it was killed in the middle");
  rmSync(made.tree, { recursive: true });
  const workspace = made.open();
  t.after(() => workspace.close());
  const order = { ...made.order, commit: made.git("rev-parse", BRANCH) };
  assert.deepEqual(await workspace.mendWorktree(order), { branch: false, folder: true });
  assert.deepEqual([made.read("more"), made.read("half")], ["more\n", "half\n"]);
  assert.equal(plainGit(made.tree, ["status", "--porcelain"]), " M base\n?? half\n");
  assert.ok(!existsSync(path.join(record, "index.lock")));
});

test("W3 W11 a worktree whose folder was deleted after a git was killed with the lock of its index is made again", async (t) => {
  const made = await newTree(t);
  await made.workspace.close();
  const record = plainGit(made.tree, ["rev-parse", "--absolute-git-dir"]).trim();
  writeFileSync(path.join(record, "index.lock"), "");
  rmSync(made.tree, { recursive: true });
  // Time passes as fast as it is waited for.
  const real = realWorld();
  let later = 0;
  const timer: World["timer"] = (ms, act) => {
    later += ms;
    return real.timer(0, act);
  };
  const workspace = made.open({ ...real, now: () => real.now() + later, timer });
  t.after(() => workspace.close());
  assert.deepEqual(await workspace.mendWorktree(made.order), { branch: false, folder: true });
  isWhole(made);
  assert.ok(existsSync(path.join(record, "index.lock.left")), "what was found is kept");
});

test("W3 a branch that was deleted is made again from the last commit that Holdfast made, which a ref of its own has kept", async (t) => {
  const made = await newTree(t);
  made.git("update-ref", "-d", `refs/heads/${BRANCH}`);
  made.git("reflog", "expire", "--expire=now", "--all");
  made.git("gc", "-q", "--prune=now");
  assert.deepEqual(await made.workspace.mendWorktree(made.order), { branch: true, folder: false });
  isWhole(made);
  rmSync(made.tree, { recursive: true });
  made.git("worktree", "prune");
  made.git("branch", "-qD", BRANCH);
  assert.deepEqual(await made.workspace.mendWorktree(made.order), { branch: true, folder: true });
  isWhole(made);
});

test("W3 what was committed after the last checkpoint is not undone by it", async (t) => {
  const made = await newTree(t);
  made.put("base", "newer\n");
  plainGit(made.tree, ["commit", "-qm", "the agent's own", "base"]);
  rmSync(made.tree, { recursive: true });
  await made.workspace.mendWorktree(made.order);
  assert.deepEqual([made.read("base"), made.read("half")], ["newer\n", "half\n"]);
  assert.equal(plainGit(made.tree, ["status", "--porcelain"]), "?? half\n");
});

test("W3 W5 a commit of an agent's own that a checkpoint has seen is held by a ref: its branch is deleted, or moved, and git forgets", async (t) => {
  const made = await newTree(t);
  const { workspace, git, project, tree, put, order } = made;
  const forget = (): void => {
    for (const folder of [project, tree]) plainGit(folder, ["reflog", "expire", "--expire=now", "--all"]);
    git("gc", "-q", "--prune=now");
  };
  const commits = (name: string): string => {
    put("base", `${name}\n`);
    plainGit(tree, ["commit", "-qm", name, "base"]);
    return git("rev-parse", BRANCH);
  };
  const keep = (key: string) => workspace.snapshot({ key, project, tree, atMs: 6 });
  const held = (): string => git("rev-parse", `refs/holdfast/work/${BRANCH}`);
  const own = commits("the agent's own");
  await keep("own");
  assert.equal(held(), own);
  git("update-ref", "-d", `refs/heads/${BRANCH}`);
  forget();
  assert.deepEqual(await workspace.mendWorktree(order), { branch: true, folder: false });
  assert.equal(git("rev-parse", BRANCH), own);
  plainGit(tree, ["commit", "-q", "--amend", "-m", "rewritten by the agent"]);
  const amended = git("rev-parse", BRANCH);
  await keep("amended");
  assert.equal(held(), amended);
  await keep("own");
  assert.equal(held(), amended, "the same order again holds nothing older");
  git("update-ref", `refs/heads/${BRANCH}`, "main");
  forget();
  await keep("moved");
  assert.equal(held(), amended, "what a person moves it to is not the run's");
  const expected = { commit: git("rev-parse", "main"), branch: BRANCH };
  const commit = { key: "m", project, tree, files: ["half"], message: "m", author, atMs: 7, expected };
  assert.deepEqual(await workspace.commit(commit), {
    ...{ kind: "displaced", last: amended, ref: `refs/holdfast/work/${BRANCH}` },
  });
});

test("W3 a folder that only lost its link to git keeps all its files, also those in no checkpoint", async (t) => {
  const made = await newTree(t);
  made.put("later", "in no checkpoint\n");
  rmSync(path.join(made.tree, ".git"));
  assert.deepEqual(await made.workspace.mendWorktree(made.order), { branch: false, folder: true });
  assert.equal(made.read("later"), "in no checkpoint\n");
  rmSync(path.join(made.tree, "later"));
  isWhole(made);
});

class Cut extends Error {}

test("W3 W11 making a worktree again that is cut off at every boundary is finished by the next try", async (t) => {
  const made = await newTree(t);
  made.git("update-ref", "-d", `refs/heads/${BRANCH}`);
  rmSync(made.tree, { recursive: true });
  const seen = new Set<string>();
  const world: World = {
    ...realWorld(),
    crashPoint: (name) => {
      if (seen.has(name)) return;
      seen.add(name);
      throw new Cut(name);
    },
  };
  for (let isOver = false; !isOver;) {
    const workspace = made.open(world);
    try {
      isOver = (await workspace.mendWorktree(made.order)) !== null;
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      await workspace.close();
    }
  }
  for (const name of ["workspace.mend.branch", "workspace.mend.noted", "workspace.mend.filled"])
    assert.ok(seen.has(name), name);
  isWhole(made);
  assert.ok(existsSync(path.join(made.tree, "half")));
});

for (const [what, removed] of [
  ["removed", "."],
  ["unlinked", ".git"],
] as const)
  test(`W3 W11 a worktree that is ${what} after a process was killed at the end of making it again is made again once more`, async (t) => {
    const made = await newTree(t);
    rmSync(made.tree, { recursive: true });
    const crashPoint = (name: string): void => {
      if (name === "workspace.mend.filled") throw new Cut(name);
    };
    const cut = made.open({ ...realWorld(), crashPoint });
    await assert.rejects(cut.mendWorktree(made.order), Cut);
    await cut.close();
    rmSync(path.join(made.tree, removed), { recursive: true });
    const workspace = made.open();
    t.after(() => workspace.close());
    assert.deepEqual(await workspace.mendWorktree(made.order), { branch: false, folder: true });
    isWhole(made);
  });

test("W3 W5 nothing is committed on a branch that somebody moved from outside of its worktree; what an agent rewrites inside is its own", async (t) => {
  const made = await newTree(t);
  const { workspace, git, project, tree, commit } = made;
  const order = { project, tree, files: ["half"], message: "half", author, atMs: 5 };
  const main = git("rev-parse", "main");
  git("update-ref", `refs/heads/${BRANCH}`, main);
  const moved = await workspace.commit({
    ...{ ...order, key: "moved" },
    expected: { commit: main, branch: BRANCH },
  });
  assert.deepEqual(moved, { kind: "displaced", last: commit, ref: `refs/holdfast/work/${BRANCH}` });
  git("update-ref", `refs/heads/${BRANCH}`, commit);
  plainGit(tree, ["commit", "-q", "--amend", "-m", "rewritten by the agent"]);
  const amended = git("rev-parse", BRANCH);
  const done = await workspace.commit({
    ...{ ...order, key: "amended" },
    expected: { commit: amended, branch: BRANCH },
  });
  assert.equal(done.kind, "committed");
});
