import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { realWorld } from "../../../src/real-world.ts";
import { fetchPrivateGit, preparePrivateGit } from "../../../src/workspace/git/private-git.ts";
import { runProgram } from "../../kill/killed-process.ts";

/** A repository with one commit, something staged, and the git directory of an attempt. */
class Attempt {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-private-")));
  readonly tree = path.join(this.root, "tree");
  readonly folder = path.join(this.root, "session/git");
  readonly place = { folder: this.folder, shadows: path.join(this.root, "shadows"), world: realWorld() };

  constructor(t: TestContext) {
    t.after(() => {
      rmSync(this.root, { recursive: true, force: true });
    });
    mkdirSync(path.dirname(this.folder), { recursive: true });
    mkdirSync(this.tree);
    this.git("init", "--quiet", "--initial-branch=main");
    this.put("file", "one\n");
    this.put("other", "one\n");
    this.git("add", ".");
    this.commit("one");
    this.put("other", "staged\n");
    this.git("add", "other");
  }

  put(name: string, text: string): void {
    writeFileSync(path.join(this.tree, name), text);
  }

  git(...words: readonly string[]): string {
    return this.#git({}, words);
  }

  commit(subject: string): void {
    this.git("commit", "--quiet", "-m", subject);
  }

  prepare() {
    return preparePrivateGit({ ...this.place, tree: this.tree });
  }

  /** As the agent does it in its sandbox, where the user's objects are shown to it. */
  agentCommits(): string {
    const env = {
      GIT_DIR: this.folder,
      GIT_WORK_TREE: this.tree,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(this.tree, ".git/objects"),
    };
    this.put("file", "two\n");
    this.#git(env, ["reset", "--quiet"]);
    this.#git(env, ["add", "file"]);
    this.#git(env, ["commit", "--quiet", "-m", "two"]);
    return this.#git(env, ["rev-parse", "HEAD"]);
  }

  async killedAt(act: "prepare" | "fetch", point: string): Promise<void> {
    const program = path.join(import.meta.dirname, "..", "fetching-process.ts");
    const env = { HOLDFAST_CRASH_AT: `${point}#1` };
    const args = [act, this.tree, this.folder, this.place.shadows];
    const ended = await runProgram(program, args, { env, limitMs: 60_000 });
    assert.equal(ended.signal, "SIGKILL", `${point}: ${ended.output}`);
  }

  /** Everything of the attempt is there once, and nothing of Holdfast's is left. */
  assertBrought(commit: string): void {
    assert.equal(this.git("rev-parse", "main"), commit);
    assert.equal(this.git("status", "--short"), "M  other", "what was staged is staged still");
    assert.equal(this.git("fsck", "--strict"), "");
    assert.deepEqual(readdirSync(path.dirname(this.folder)), []);
    assert.deepEqual(
      readdirSync(path.join(this.tree, ".git")).filter((name) => /lock|holdfast/.test(name)),
      [],
    );
  }

  #git(env: Readonly<Record<string, string>>, words: readonly string[]): string {
    const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    return execFileSync("git", [...own, ...words], {
      ...{ cwd: this.tree, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      env: { ...process.env, ...env },
    }).trimEnd();
  }
}

for (const point of ["sandbox.git.recorded", "sandbox.git.made"])
  test(`P6 W1 a git directory of an attempt whose making was killed at ${point} is made whole by the next start`, async (t) => {
    const attempt = new Attempt(t);
    await attempt.killedAt("prepare", point);
    assert.ok((await attempt.prepare()) !== null);
    const commit = attempt.agentCommits();
    assert.equal(await fetchPrivateGit(attempt.place), null);
    attempt.assertBrought(commit);
  });

for (const point of [
  "sandbox.git.objects",
  "sandbox.git.moved",
  "sandbox.git.staged",
  "sandbox.git.brought",
  "sandbox.git.removed",
])
  test(`P6 W1 commits of an attempt in a sandbox whose fetch was killed at ${point} are brought over by the next`, async (t) => {
    const attempt = new Attempt(t);
    await attempt.prepare();
    const commit = attempt.agentCommits();
    await attempt.killedAt("fetch", point);
    assert.equal(await fetchPrivateGit(attempt.place), null);
    attempt.assertBrought(commit);
    assert.equal(await fetchPrivateGit(attempt.place), null, "and once more there is nothing to do");
  });

test("P6 W1 W12 the fetch of an attempt's commits waits for another git that has the index", async (t) => {
  const attempt = new Attempt(t);
  await attempt.prepare();
  const commit = attempt.agentCommits();
  const lock = path.join(attempt.tree, ".git/index.lock");
  writeFileSync(lock, "");
  const fetched = fetchPrivateGit(attempt.place);
  await delay(300);
  assert.ok(existsSync(`${attempt.folder}.base.json`), "it is not over while the lock is held");
  rmSync(lock);
  await fetched;
  attempt.assertBrought(commit);
});

test("P6 W1 W12 with a lock of the index that stays the fetch names it, and the next one finishes", async (t) => {
  const attempt = new Attempt(t);
  await attempt.prepare();
  const commit = attempt.agentCommits();
  const lock = path.join(attempt.tree, ".git/index.lock");
  writeFileSync(lock, "");
  await assert.rejects(fetchPrivateGit(attempt.place), /index\.lock is held by another git/);
  assert.ok(existsSync(lock), "a lock of somebody else is not removed");
  rmSync(lock);
  await fetchPrivateGit(attempt.place);
  attempt.assertBrought(commit);
});
