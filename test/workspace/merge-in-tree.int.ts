import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { plainGit } from "./plain-git.ts";

const author = { name: "A User", email: "user@example.test" };
const BRANCH = "holdfast/run";

/** A worktree and the user's branch that have changed the same file, and each another one. */
async function newSides(t: TestContext, { shallow = false } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-merge-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const project = path.join(folder, "project");
  const tree = path.join(folder, "trees", "run");
  mkdirSync(project);
  const git = (...args: string[]): string => plainGit(project, args).trim();
  const inTree = (...args: string[]): string => plainGit(tree, args).trim();
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  writeFileSync(path.join(project, "both"), "one\n");
  git("add", ".");
  git("commit", "-qm", "begin");
  if (shallow) {
    const origin = path.join(folder, "origin");
    renameSync(project, origin);
    plainGit(folder, ["clone", "-q", "--depth", "1", `file://${origin}`, project]);
  }
  const base = git("rev-parse", "main");
  const open = (world: World = realWorld()) => gitWorkspace({ home: path.join(folder, "home"), world });
  const workspace = open();
  t.after(() => workspace.close());
  await workspace.createWorktree({ key: "make", project, tree, branch: BRANCH });
  writeFileSync(path.join(tree, "both"), "of the run\n");
  writeFileSync(path.join(tree, "ours"), "ours\n");
  inTree("add", ".");
  inTree("commit", "-qm", "of the run");
  writeFileSync(path.join(project, "both"), "of the user\n");
  writeFileSync(path.join(project, "theirs"), "theirs\n");
  git("add", ".");
  git("commit", "-qm", "of the user");
  const heads = { ours: inTree("rev-parse", "HEAD"), theirs: git("rev-parse", "main") };
  const read = (name: string): string => readFileSync(path.join(tree, name), "utf8");
  const order = { project, tree, theirs: heads.theirs, message: "Merge" };
  return { project, tree, git, inTree, workspace, open, order, read, base, ...heads };
}

type Sides = Awaited<ReturnType<typeof newSides>>;

const commitAll = ({ workspace, project, tree, ours }: Sides, key: string) =>
  workspace.commit({
    ...{ key, project, tree, files: ["both", "theirs"], message: "Merge", author, atMs: 1 },
    expected: { commit: ours, branch: BRANCH },
  });

/** As `git merge` leaves it. */
const isBegun = ({ inTree, read, theirs }: Sides): void => {
  assert.match(read("both"), /<<<<<<< [^]*of the run[^]*=======[^]*of the user[^]*>>>>>>> /);
  assert.equal(inTree("status", "--porcelain"), "UU both\nA  theirs");
  assert.equal(inTree("rev-parse", "MERGE_HEAD"), theirs);
};

test("W8 G3 both sides are put into the run's worktree as git merge does it; with markers nothing is committed, and what is merged becomes one commit of both", async (t) => {
  const sides = await newSides(t);
  const { workspace, order, tree, inTree, git, theirs, ours, project } = sides;
  assert.deepEqual(await workspace.beginMerge(order), { kind: "begun", files: ["both"] });
  isBegun(sides);
  assert.deepEqual(await workspace.beginMerge(order), { kind: "begun", files: ["both"] }, "asked again");
  assert.deepEqual(await commitAll(sides, "early"), { kind: "unmerged", files: ["both"] });
  writeFileSync(path.join(tree, "both"), "of both\n");
  const made = await commitAll(sides, "merged");
  assert.ok(made.kind === "committed", JSON.stringify(made));
  assert.equal(inTree("show", "-s", "--format=%P", "HEAD"), `${ours} ${theirs}`);
  assert.deepEqual(
    [inTree("status", "--porcelain"), existsSync(path.join(tree, ".git/MERGE_HEAD"))],
    ["", false],
  );
  const taken = await workspace.takeIn({
    ...{ key: "in", project, commit: made.commit, message: "m\n", author, atMs: 2 },
  });
  assert.ok(taken.kind === "taken" && taken.how === "fast_forward");
  assert.deepEqual([git("show", "main:both"), git("status", "--porcelain")], ["of both", ""]);
});

class Cut extends Error {}

const cutOnce = (seen: Set<string>): World => ({
  ...realWorld(),
  crashPoint: (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    throw new Cut(name);
  },
});

test("W8 W11 a merge that was cut off is not committed: the commit brings both sides in first, and is made of what a person makes of them", async (t) => {
  const sides = await newSides(t);
  const workspace = sides.open(cutOnce(new Set(["workspace.take-in.write"])));
  await assert.rejects(workspace.beginMerge(sides.order), Cut);
  await workspace.close();
  assert.equal((await commitAll(sides, "first")).kind, "moved");
  isBegun(sides);
  assert.equal((await commitAll(sides, "second")).kind, "unmerged");
});

test("W8 W11 a merge that is cut off at every boundary is begun wholly by the next try", async (t) => {
  const sides = await newSides(t);
  const seen = new Set<string>();
  const world = cutOnce(seen);
  for (let isOver = false; !isOver;) {
    const workspace = sides.open(world);
    try {
      isOver = (await workspace.beginMerge(sides.order)).kind === "begun";
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      await workspace.close();
    }
  }
  for (const name of ["workspace.merge.noted", "workspace.merge.files", "workspace.merge.begun"])
    assert.ok(seen.has(name), name);
  isBegun(sides);
});

test("W5 W11 commits that the user dropped are not brought back: they are asked about, left out, or brought back on request", async (t) => {
  const { workspace, project, git, inTree, tree, base } = await newSides(t);
  git("reset", "-q", "--hard", base);
  git("commit", "-q", "--amend", "-m", "begin, said otherwise");
  const now = git("rev-parse", "main");
  writeFileSync(path.join(tree, "both"), "of the run\n");
  const commit = inTree("rev-parse", "HEAD");
  const order = { project, commit, base, message: "take\n", author, atMs: 1 };
  const asked = await workspace.takeIn({ ...order, key: "asked" });
  assert.ok(asked.kind === "dropped", JSON.stringify(asked));
  assert.deepEqual([asked.into, asked.count, asked.commits], ["main", 1, [`${base.slice(0, 7)} begin`]]);
  assert.deepEqual([git("rev-parse", "main"), git("status", "--porcelain")], [now, ""]);
  const left = await workspace.takeIn({ ...order, key: "left", dropped: "leave" });
  assert.ok(left.kind === "taken", JSON.stringify(left));
  assert.equal(git("show", "-s", "--format=%P", "main"), now, "today's branch is all that lies below");
  assert.deepEqual([git("show", "main:ours"), git("status", "--porcelain")], ["ours", ""]);
  const again = await workspace.takeIn({ ...order, key: "again", dropped: "leave" });
  assert.ok(again.kind === "taken" && again.how === "already");
  git("reset", "-q", "--hard", `${base}~1`);
  const brought = await workspace.takeIn({ ...order, key: "brought", dropped: "bring" });
  assert.ok(brought.kind === "taken", JSON.stringify(brought));
  assert.deepEqual([brought.how, git("rev-parse", "main")], ["fast_forward", commit]);
});

test("W8 W5 in a repository that was cloned without its history both sides are compared, and merged as in any other", async (t) => {
  const sides = await newSides(t, { shallow: true });
  const { workspace, project, tree, ours, theirs, base, git, order } = sides;
  assert.deepEqual(await workspace.tryMerge({ project, tree }, ours, theirs), {
    kind: "conflict",
    files: ["both"],
  });
  git("switch", "-q", "-c", "other", base);
  git("commit", "-q", "--allow-empty", "-m", "apart");
  const apart = git("rev-parse", "HEAD");
  assert.equal((await workspace.tryMerge({ project, tree }, ours, apart)).kind, "clean");
  git("switch", "-q", "main");
  assert.equal((await workspace.beginMerge(order)).kind, "begun");
  isBegun(sides);
});
