import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
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
  for (const name of ["planned", "kept", "write", "files", "branch", "staged"])
    assert.ok(
      [...seen].some((one) => one.startsWith(`workspace.take-in.${name} `)),
      name,
    );
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(git("rev-parse", "main^2"), side);
  assert.deepEqual([read(project, "own"), read(project, "changed")], ["of main\n", "two\n"]);
  assert.equal(git("fsck", "--strict"), "");
});
