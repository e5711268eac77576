import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { runProgram } from "../kill/killed-process.ts";
import { plainGit } from "./plain-git.ts";

const author = { name: "A User", email: "user@example.test" };
const order = (project: string, commit: string, key = "in") => ({
  key,
  project,
  commit,
  message: "merge\n",
  author,
  atMs: 1_000,
});

/** A project with a branch `side` that changes, adds, removes and links; the tree is on `main`. */
function newProject(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-take-in-"));
  const project = path.join(folder, "project");
  mkdirSync(path.join(project, "sub"), { recursive: true });
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), text);
  };
  const git = (...args: string[]): string => plainGit(project, args).trim();
  git("init", "-q", "-b", "main");
  for (const name of ["changed", "same", "sub/gone"]) put(name, "one\n");
  git("add", ".");
  git("commit", "-qm", "one");
  git("switch", "-qc", "side");
  put("changed", "two\n");
  put("deep/new file", "new\n");
  rmSync(path.join(project, "sub/gone"));
  symlinkSync("changed", path.join(project, "link"));
  git("add", "-A");
  git("commit", "-qm", "side");
  git("switch", "-q", "main");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const open = (world: World = realWorld()) => gitWorkspace({ home: path.join(folder, "home"), world });
  return { project, put, git, open, side: git("rev-parse", "side") };
}

const read = (project: string, name: string): string => readFileSync(path.join(project, name), "utf8");

test("W5 W11 a commit is taken in by a fast-forward: files, links and removals, branch and index; the user's drafts stay", async (t) => {
  const { project, put, git, open, side } = newProject(t);
  put("draft", "mine\n");
  put("same", "mine too\n");
  const workspace = open();
  t.after(() => workspace.close());
  const taken = await workspace.takeIn(order(project, side));
  assert.ok(taken.kind === "taken");
  assert.deepEqual([taken.how, taken.into, taken.commit], ["fast_forward", "main", side]);
  assert.deepEqual([...taken.files].sort(), ["changed", "deep/new file", "link", "sub/gone"]);
  assert.equal(git("rev-parse", "main"), side);
  assert.deepEqual([read(project, "changed"), read(project, "same")], ["two\n", "mine too\n"]);
  assert.ok(lstatSync(path.join(project, "link")).isSymbolicLink() && !existsSync(path.join(project, "sub")));
  assert.equal(git("status", "--porcelain"), "M same\n?? draft");
  assert.deepEqual(await workspace.takeIn(order(project, side)), taken, "the same order again does nothing");
  const again = await workspace.takeIn(order(project, side, "later"));
  assert.ok(again.kind === "taken" && again.how === "already");
});

test("W5 W11 where the user's own changes are in the way, or both sides changed the same, nothing is touched", async (t) => {
  const { project, put, git, open, side } = newProject(t);
  const workspace = open();
  t.after(() => workspace.close());
  put("changed", "a draft\n");
  put("deep/new file", "not yours\n");
  const before = [git("rev-parse", "main"), git("status", "--porcelain")];
  const dirty = await workspace.takeIn(order(project, side));
  assert.ok(dirty.kind === "dirty");
  assert.deepEqual([...dirty.files].sort(), ["changed", "deep/new file"]);
  assert.deepEqual([git("rev-parse", "main"), git("status", "--porcelain")], before);
  assert.equal(read(project, "deep/new file"), "not yours\n");
  rmSync(path.join(project, "deep"), { recursive: true });
  git("commit", "-qam", "mine");
  const conflict = await workspace.takeIn(order(project, side));
  assert.deepEqual(conflict, { kind: "conflict", files: ["changed"] });
  assert.equal(git("status", "--porcelain"), "");
});

class Cut extends Error {}

test("W5 W11 taking in that is cut off at every boundary is finished by the same order, with nothing half done", async (t) => {
  const { project, put, git, open, side } = newProject(t);
  put("own", "of main\n");
  git("add", "own");
  git("commit", "-qm", "main goes on");
  const seen = new Set<string>();
  let count = new Map<string, number>();
  const world: World = {
    ...realWorld(),
    crashPoint: (name) => {
      count.set(name, (count.get(name) ?? 0) + 1);
      const boundary = `${name} ${String(count.get(name))}`;
      if (seen.has(boundary)) return;
      seen.add(boundary);
      throw new Cut(boundary);
    },
  };
  for (let taken = null; taken === null;) {
    count = new Map();
    const workspace = open(world);
    try {
      taken = await workspace.takeIn(order(project, side));
      assert.ok(taken.kind === "taken" && taken.how === "merge", JSON.stringify(taken));
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      await workspace.close();
    }
  }
  for (const name of ["planned", "kept", "locked", "write", "files", "branch"])
    assert.ok(
      [...seen].some((one) => one.startsWith(`workspace.take-in.${name} `)),
      name,
    );
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(git("rev-parse", "main^2"), side);
  assert.deepEqual([read(project, "own"), read(project, "changed")], ["of main\n", "two\n"]);
  assert.equal(git("fsck", "--strict"), "");
});

/** What a user's own next commit would do: nothing but what they staged themselves. */
const stagedBy = (git: (...args: string[]) => string): string => git("diff", "--cached", "--name-status");

test("W5 W11 while another git process holds the index nothing is taken in, the lock is named, and the next try takes all of it", async (t) => {
  const { project, git, open, side, put } = newProject(t);
  const lock = path.join(project, ".git/index.lock");
  const workspace = open();
  t.after(() => workspace.close());
  put(".git/index.lock", "");
  const refused = await workspace.takeIn(order(project, side));
  assert.deepEqual(refused, { kind: "locked", file: lock });
  assert.deepEqual([read(project, "changed"), git("log", "--format=%s")], ["one\n", "one"]);
  assert.ok(existsSync(lock), "the lock is another's");
  rmSync(lock);
  const taken = await workspace.takeIn(order(project, side, "again"));
  assert.ok(taken.kind === "taken" && taken.how === "fast_forward", JSON.stringify(taken));
  assert.equal(git("status", "--porcelain"), "");
  git("commit", "-q", "--allow-empty", "-m", "next");
  assert.equal(git("show", "HEAD:deep/new file"), "new", "the user's next commit keeps what was accepted");
});

test("W5 W11 a lock that goes away is waited for", async (t) => {
  const { project, git, open, side, put } = newProject(t);
  const workspace = open();
  t.after(() => workspace.close());
  put(".git/index.lock", "");
  setTimeout(() => {
    rmSync(path.join(project, ".git/index.lock"));
  }, 300);
  const taken = await workspace.takeIn(order(project, side));
  assert.equal(taken.kind, "taken");
  assert.deepEqual([git("status", "--porcelain"), stagedBy(git)], ["", ""]);
});

test("W11 what the user has staged is never taken out of the index by an acceptance", async (t) => {
  const { project, git, open, side, put } = newProject(t);
  const workspace = open();
  t.after(() => workspace.close());
  put("changed", "staged, and nowhere else\n");
  git("add", "changed");
  put("changed", "one\n");
  put("same", "staged elsewhere\n");
  git("add", "same");
  const refused = await workspace.takeIn(order(project, side));
  assert.deepEqual(refused, { kind: "dirty", files: ["changed"] });
  assert.equal(git("show", ":changed"), "staged, and nowhere else");
  git("restore", "--staged", "changed");
  assert.equal((await workspace.takeIn(order(project, side, "again"))).kind, "taken");
  assert.equal(stagedBy(git), "M\tsame");
});

/** An acceptance in a process of its own, killed at a boundary. */
async function killedAt(project: string, commit: string, point: string): Promise<string> {
  const program = path.join(import.meta.dirname, "taking-process.ts");
  const home = path.join(project, "../home");
  const env = { HOLDFAST_CRASH_AT: `workspace.take-in.${point}` };
  const ended = await runProgram(program, [home, project, commit], { env, limitMs: 60_000 });
  assert.equal(ended.signal, "SIGKILL", `${point}: ${ended.output}`);
  return point;
}

for (const [point, isTaken] of [
  ["locked#1", false],
  ["write#2", false],
  ["files#1", false],
  ["branch#1", true],
  ["staged#1", true],
] as const)
  test(`W5 W11 an acceptance killed at ${point} is ${isTaken ? "finished" : "undone"} by the next command that looks at the project, whatever it is for`, async (t) => {
    const { project, git, open, side, put } = newProject(t);
    put("draft", "mine\n");
    await killedAt(project, side, point);
    const workspace = open();
    t.after(() => workspace.close());
    await workspace.snapshot({ key: "look", project, tree: project, atMs: 1 });
    assert.equal(git("status", "--porcelain"), "?? draft");
    assert.equal(git("rev-parse", "main"), isTaken ? side : git("rev-parse", "side~1"));
    assert.equal(read(project, "changed"), isTaken ? "two\n" : "one\n");
    assert.deepEqual(
      readdirSync(path.join(project, ".git")).filter((name) => /lock|holdfast/.test(name)),
      [],
      "nothing of ours is left in the user's repository",
    );
    const again = await workspace.takeIn(order(project, side, "another"));
    assert.ok(again.kind === "taken", JSON.stringify(again));
    assert.deepEqual([git("rev-parse", "main"), git("status", "--porcelain")], [side, "?? draft"]);
  });

test("W5 W12 a commit waits for the index as well: with a lock that stays the branch does not move, and one left by a killed git is put aside where nobody works", async (t) => {
  const { project, git, open, put } = newProject(t);
  const workspace = open();
  t.after(() => workspace.close());
  put("mine", "new\n");
  const commit = { branch: "main", commit: git("rev-parse", "main") };
  const committing = { key: "c", project, tree: project, files: ["mine"], message: "mine", author, atMs: 1 };
  put(".git/index.lock", "");
  const refused = await workspace.commit({ ...committing, expected: commit });
  assert.deepEqual(refused, { kind: "locked", file: path.join(project, ".git/index.lock") });
  assert.equal(git("rev-parse", "main"), commit.commit);
  const done = await workspace.commit({ ...committing, expected: commit, alone: true });
  assert.equal(done.kind, "committed");
  assert.deepEqual([git("status", "--porcelain"), stagedBy(git)], ["", ""]);
});
