import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { commitFile, git, makeRepository } from "../../cli/mission/made-repository.ts";

/** A repository on `main`, and work on branches of their own that begin at its first commit. */
function newProject(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-rehearse-"));
  const project = makeRepository(path.join(folder, "project"));
  const base = git(project, "rev-parse", "HEAD");
  const work = (branch: string, file: string, text: string): string => {
    git(project, "switch", "--quiet", "--create", branch, base);
    const commit = commitFile(project, file, text);
    git(project, "switch", "--quiet", "main");
    return commit;
  };
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world: realWorld() });
  t.after(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { project, base, work, workspace };
}

test("G15 work is taken in one after the other in objects alone: each as it would be, up to the first that cannot", async (t) => {
  const { project, base, work, workspace } = newProject(t);
  const [one, two] = [work("one", "one.txt", "1\n"), work("two", "two.txt", "2\n")];
  const against = work("against", "one.txt", "other\n");
  const seen = await workspace.rehearse({ project, base, commits: [base, one, two, against, one] });
  assert.deepEqual(seen.kind === "seen" && seen.steps.map(({ how }) => how), [
    "already",
    "fast_forward",
    "merge",
    "conflict",
  ]);
  assert.deepEqual(seen.kind === "seen" && seen.steps.at(-1)?.files, ["one.txt"]);
  assert.deepEqual([git(project, "rev-parse", "main"), git(project, "status", "--porcelain")], [base, ""]);
  const missing = await workspace.rehearse({ project, commits: ["1".repeat(40)] });
  assert.deepEqual(missing.kind === "seen" && missing.steps.map(({ how }) => how), ["missing"]);
});

test("G15 what is changed, staged or untracked is named; what git ignores, here or in the user's own list, is not", async (t) => {
  const { project, workspace } = newProject(t);
  commitFile(project, ".gitignore", "ignored\n");
  const dirty = async () => {
    const seen = await workspace.rehearse({ project, commits: [] });
    return seen.kind === "seen" ? seen.dirty : seen.kind;
  };
  assert.deepEqual(await dirty(), []);
  for (const name of ["ignored", "private", "new.txt", "staged.txt", "README.md"])
    writeFileSync(path.join(project, name), "mine\n");
  writeFileSync(path.join(project, ".git/info/exclude"), "private\n");
  git(project, "add", "staged.txt");
  assert.deepEqual(await dirty(), ["README.md", "new.txt", "staged.txt"]);
  // Put back in the tree, and still staged otherwise.
  git(project, "add", "README.md");
  writeFileSync(path.join(project, "README.md"), git(project, "show", "HEAD:README.md") + "\n");
  assert.deepEqual(await dirty(), ["README.md", "new.txt", "staged.txt"]);
});

test("G15 a branch that was switched, reset below the beginning or lost with its repository is seen", async (t) => {
  const { project, base, workspace } = newProject(t);
  const begun = commitFile(project, "more.txt", "more\n");
  const look = async () => {
    const seen = await workspace.rehearse({ project, base: begun, commits: [] });
    return seen.kind === "seen" ? [seen.branch, seen.keepsBase] : [seen.kind];
  };
  assert.deepEqual(await look(), ["main", true]);
  git(project, "switch", "--quiet", "--create", "aside");
  assert.deepEqual(await look(), ["aside", true]);
  git(project, "reset", "--quiet", "--hard", base);
  assert.deepEqual(await look(), ["aside", false]);
  rmSync(path.join(project, ".git"), { recursive: true });
  assert.deepEqual(await look(), ["none"]);
});

test("G15 a branch is laid at the merge of what is built on; laid again it is found, and in conflict there is none", async (t) => {
  const { project, work, workspace } = newProject(t);
  const [one, two] = [work("one", "one.txt", "1\n"), work("two", "two.txt", "2\n")];
  const against = work("against", "one.txt", "other\n");
  const order = { project, branch: "holdfast/m.next.1", commits: [one, two] };
  const laid = await workspace.layBranch(order);
  const files = git(project, "ls-tree", "-r", "--name-only", "holdfast/m.next.1").split("\n");
  assert.deepEqual([laid.kind, files], ["laid", ["README.md", "one.txt", "two.txt"]]);
  assert.deepEqual(await workspace.layBranch(order), laid);
  const refused = await workspace.layBranch({
    project,
    branch: "holdfast/m.other.1",
    commits: [one, against],
  });
  assert.deepEqual([refused.kind, refused.kind === "unlaid" && refused.files], ["unlaid", ["one.txt"]]);
  assert.equal(git(project, "branch", "--list", "holdfast/m.other.1"), "");
  assert.match((await workspace.patch(project, two, one)) ?? "", /\+\+\+ b\/one\.txt/);
});
