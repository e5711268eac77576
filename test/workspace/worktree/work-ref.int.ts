import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";

const BRANCH = "holdfast/run";

async function newTree(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-stash-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, tree] = [path.join(folder, "project"), path.join(folder, "trees", "run")];
  mkdirSync(project);
  const gitIn =
    (place: string) =>
    (...args: string[]): string =>
      plainGit(place, args).trim();
  const git = gitIn(project);
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(project, "base"), "base\n");
  git("add", ".");
  git("commit", "-qm", "begin");
  const home = path.join(folder, "home");
  const workspace = gitWorkspace({ home, world: realWorld() });
  t.after(() => workspace.close());
  await workspace.createWorktree({ key: "make", project, tree, branch: BRANCH });
  const stash = (place: string, text: string): void => {
    writeFileSync(path.join(place, "base"), `${text}\n`);
    gitIn(place)("stash", "push", "-q", "-m", text);
  };
  let times = 0;
  const keep = () =>
    workspace.snapshot({ key: `s${String((times += 1))}`, project, tree, atMs: times, stashApart: true });
  /** Dies where the point is passed. */
  const dieAt = async (point: string): Promise<void> => {
    const crashPoint = (name: string): void => {
      if (name === point) throw new Error(point);
    };
    const dying = gitWorkspace({ home, world: { ...realWorld(), crashPoint } });
    const order = { key: `die ${point}`, project, tree, atMs: 1, stashApart: true };
    await assert.rejects(dying.snapshot(order), { message: point });
    await dying.close();
  };
  return { project, tree, git, stash, keep, dieAt };
}

test("W2 what an agent stashes in its worktree leaves the user's stash as their own acts left it, and is kept by a ref", async (t) => {
  const { project, tree, git, stash, keep } = await newTree(t);
  stash(project, "mine 1");
  const one = git("rev-parse", "stash@{0}");
  stash(tree, "agent 1");
  stash(project, "mine 2");
  stash(tree, "agent 2");
  const two = git("rev-parse", "stash@{1}");
  const { stashed = [] } = await keep();
  assert.equal(stashed.length, 2);
  assert.deepEqual(git("stash", "list", "--format=%H %gs").split("\n"), [
    `${two} On main: mine 2`,
    `${one} On main: mine 1`,
  ]);
  assert.equal(git("rev-parse", "refs/stash"), two);
  assert.deepEqual(
    stashed.map((ref) => git("show", `${ref}:base`)),
    ["agent 1", "agent 2"],
  );
  assert.equal((await keep()).stashed, undefined, "nothing is left to do");
  git("stash", "pop", "-q");
  assert.equal(git("show", "stash@{0}:base"), "mine 1");
});

test("W2 a stash that holds an agent's entries alone is gone afterwards, also where git has packed its refs", async (t) => {
  const { tree, git, stash, keep } = await newTree(t);
  stash(tree, "agent");
  git("pack-refs", "--all");
  const { stashed = [] } = await keep();
  assert.equal(git("stash", "list"), "");
  assert.equal(git("for-each-ref", "refs/stash"), "");
  git("fsck", "--connectivity-only");
  assert.equal(git("show", `${stashed[0] ?? ""}:base`), "agent");
  stash(tree, "again");
  assert.equal((await keep()).stashed?.length, 1);
  assert.equal(git("stash", "list"), "");
});

test("W2 W11 a process that dies while it takes an agent's entries out of the user's stash leaves what the next one finishes", async (t) => {
  const { project, tree, git, stash, keep, dieAt } = await newTree(t);
  for (const [mine, point] of [
    [false, "workspace.stash.kept"],
    [false, "workspace.stash.moved"],
    [true, "workspace.stash.kept"],
    [true, "workspace.stash.moved"],
  ] as const) {
    if (mine) stash(project, `mine before ${point}`);
    const before = git("stash", "list", "--format=%H %gs");
    stash(tree, `agent ${String(mine)} ${point}`);
    const oid = git("rev-parse", "refs/stash");
    await dieAt(point);
    await keep();
    assert.equal(git("stash", "list", "--format=%H %gs"), before, point);
    assert.match(git("for-each-ref", "--format=%(objectname)", "refs/holdfast/stash"), new RegExp(oid));
    git("fsck", "--connectivity-only");
  }
});
