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
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { DAY_SEED, PLAY_WHOLE, printSample } from "../../day-sample.ts";
import { runProgram } from "../../kill/killed-process.ts";
import { plainGit } from "../plain-git.ts";

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

test("W5 W11 a file that became a folder, a folder that became a file, and names in any encoding arrive as they are", async (t) => {
  const { project, put, git, open } = newProject(t);
  put("becomes-folder", "one\n");
  put("becomes-file/inner", "one\n");
  git("add", "-A");
  git("commit", "-qm", "two");
  git("switch", "-qc", "odd");
  for (const name of ["becomes-folder", "becomes-file"])
    rmSync(path.join(project, name), { recursive: true });
  put("becomes-folder/deep/inner", "two\n");
  put("becomes-file", "two\n");
  const latin = Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0x6c, 0xe9, 0x74])]);
  writeFileSync(latin, "latin\n");
  put("tab\tin it", "tab\n");
  git("add", "-A");
  git("commit", "-qm", "odd");
  const odd = git("rev-parse", "odd");
  git("switch", "-q", "main");
  const workspace = open();
  t.after(() => workspace.close());
  const taken = await workspace.takeIn(order(project, odd));
  assert.equal(taken.kind, "taken");
  assert.equal(git("status", "--porcelain"), "");
  assert.deepEqual(
    [read(project, "becomes-folder/deep/inner"), read(project, "becomes-file")],
    ["two\n", "two\n"],
  );
  assert.deepEqual([readFileSync(latin, "utf8"), read(project, "tab\tin it")], ["latin\n", "tab\n"]);
});

test("W5 W11 a folder of the user's where a file is to stand, or a file where a folder is, is named and stays", async (t) => {
  const { project, put, git, open, side } = newProject(t);
  put("deep", "my file\n");
  put("link/mine", "my folder\n");
  const before = git("status", "--porcelain");
  const workspace = open();
  t.after(() => workspace.close());
  const dirty = await workspace.takeIn(order(project, side));
  assert.ok(dirty.kind === "dirty", JSON.stringify(dirty));
  assert.deepEqual([...dirty.files].sort(), ["deep/new file", "link"]);
  assert.equal(git("status", "--porcelain"), before);
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

/** A worktree into which the user's uncommitted changes were carried, and work on top of them; null once all was cut. */
async function carriedWork({ project, put, git, open }: ReturnType<typeof newProject>): Promise<string> {
  put("changed", "mine\n");
  put("same", "staged\n");
  git("add", "same");
  put("same", "not staged\n");
  put("untracked", "mine\n");
  rmSync(path.join(project, "sub/gone"));
  const workspace = open();
  const tree = path.join(project, "../work");
  await workspace.createWorktree({ key: "w", project, tree, branch: "work" });
  await workspace.carry({ key: "c", project, tree, onto: git("rev-parse", "HEAD"), atMs: 1_000 });
  await workspace.close();
  for (const name of ["changed", "same", "untracked", "sub/gone", "new"]) {
    mkdirSync(path.join(tree, "sub"), { recursive: true });
    writeFileSync(path.join(tree, name), `agent ${name}\n`);
  }
  plainGit(tree, ["add", "-A"]);
  plainGit(tree, ["commit", "-qm", "work"]);
  return git("rev-parse", "work");
}

/** Of the boundaries in their order each day strikes one in so many. */
const DAYS = PLAY_WHOLE ? 1 : 4;

test("W5 W11 an acceptance that replaces what was carried over, cut off at any boundary, leaves all of the user's files, branch and index as they were, or all accepted", async (t) => {
  const at = newProject(t);
  const { project, git, open } = at;
  const commit = await carriedWork(at);
  const states = (): unknown => [
    ["changed", "same", "untracked", "sub/gone", "new"].map((name) =>
      existsSync(path.join(project, name)) ? read(project, name) : null,
    ),
    git("status", "--porcelain"),
    git("ls-files", "--stage", "same"),
    git("rev-parse", "main"),
    readdirSync(path.join(project, ".git")).filter((name) => /lock|holdfast/.test(name)),
  ];
  const before = states();
  const points: string[] = [];
  for (let nth = 1 + (DAY_SEED % DAYS), isTaken = false; !isTaken; nth += DAYS) {
    let passed = 0;
    const crashPoint = (name: string): void => {
      passed += 1;
      if (passed !== nth) return;
      points.push(name);
      throw new Cut(name);
    };
    const workspace = open({ ...realWorld(), crashPoint });
    const taking = { ...order(project, commit, "once"), work: "work" };
    const taken = await workspace.takeIn(taking).catch((error: unknown) => {
      if (!(error instanceof Cut)) throw error;
      return null;
    });
    await workspace.close();
    const next = open();
    await next.snapshot({ key: `look ${String(nth)}`, project, tree: project, atMs: 1 });
    await next.close();
    isTaken = git("rev-parse", "main") === commit;
    if (isTaken) assert.equal(taken === null ? "cut" : taken.kind, taken === null ? "cut" : "taken");
    else assert.deepEqual(states(), before, points.at(-1));
  }
  printSample(t, `${String(points.length)} boundaries of an acceptance, one in ${String(DAYS)}`);
  const message = ["workspace.take-in.replacing", "workspace.take-in.files"];
  assert.ok(points.length > 2 && (!PLAY_WHOLE || message.every((name) => points.includes(name))));
  assert.equal(git("status", "--porcelain"), "");
  for (const name of ["changed", "same", "untracked", "sub/gone", "new"])
    assert.equal(read(project, name), `agent ${name}\n`);
  const kept = "refs/holdfast/carried/work";
  assert.deepEqual(
    [git("show", `${kept}:changed`), git("show", `${kept}:same`), git("show", `${kept}^2:same`)],
    ["mine", "not staged", "staged"],
  );
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
async function killedAt(project: string, commits: readonly string[], point: string): Promise<string> {
  const program = path.join(import.meta.dirname, "..", "taking-process.ts");
  const home = path.join(project, "../home");
  const env = { HOLDFAST_CRASH_AT: `workspace.take-in.${point}` };
  const ended = await runProgram(program, [home, project, ...commits], { env, limitMs: 60_000 });
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
  test(`W5 W11 an acceptance killed at ${point} is ${isTaken ? "finished" : "undone"} by the next command that looks at the project, no matter what it is for`, async (t) => {
    const { project, git, open, side, put } = newProject(t);
    put("draft", "mine\n");
    await killedAt(project, [side], point);
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

test("W5 W11 an acceptance that is killed while it replaces what was carried over is undone byte for byte, or finished, by the next command", async (t) => {
  for (const [point, isTaken] of [
    ["replacing#1", false],
    ["write#3", false],
    ["files#1", false],
    ["branch#1", true],
  ] as const) {
    const at = newProject(t);
    const { project, git, open } = at;
    const commit = await carriedWork(at);
    const names = ["changed", "same", "untracked", "sub/gone"];
    const own = (): unknown => [
      names.map((name) => (existsSync(path.join(project, name)) ? read(project, name) : null)),
      lstatSync(path.join(project, "changed")).mtimeMs,
      git("status", "--porcelain"),
    ];
    const before = own();
    await killedAt(project, [commit, "work"], point);
    const workspace = open();
    t.after(() => workspace.close());
    await workspace.snapshot({ key: "look", project, tree: project, atMs: 1 });
    assert.equal(git("rev-parse", "main") === commit, isTaken, point);
    if (!isTaken) assert.deepEqual(own(), before, point);
    const again = await workspace.takeIn({ ...order(project, commit, "another"), work: "work" });
    assert.equal(again.kind, "taken", point);
    assert.equal(git("status", "--porcelain"), "", point);
    assert.deepEqual(
      names.map((name) => read(project, name)),
      names.map((name) => `agent ${name}\n`),
    );
  }
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
