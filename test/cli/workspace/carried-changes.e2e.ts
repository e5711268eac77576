import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(2);

/** A repository with changes that are not committed, a run with its default worktree, and an agent that changes them further. */
class CarriedRun {
  readonly bench = new CliBench();

  constructor(t: TestContext, agent: string) {
    t.after(() => this.bench.close());
    this.put(
      "../agent.mjs",
      `import { rmSync, readFileSync, writeFileSync } from "node:fs";\nexport default () => {\n${agent}\nreturn "done";\n};\n`,
    );
    this.git("init", "-q", "-b", "main");
    for (const name of ["file.txt", "gone.txt", "other.txt"]) this.put(name, LINES.join("\n"));
    this.git("add", "-A");
    this.git("commit", "-qm", "begin");
  }

  put(name: string, text: string): void {
    const file = path.join(this.bench.cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string | null {
    const file = path.join(this.bench.cwd, name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  git(...args: string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", this.bench.cwd, ...who, ...args], { encoding: "utf8" }).trimEnd();
  }

  async run(...more: string[]): Promise<string> {
    const agent = `function:${path.join(this.bench.root, "agent.mjs")}`;
    const ran = await this.bench.call([
      "run",
      "go",
      "--agent",
      agent,
      "--check",
      "true",
      "--id",
      "r",
      ...more,
    ]);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    return ran.stdout;
  }

  accept(): ReturnType<CliBench["call"]> {
    return this.bench.call(["accept", "r"]);
  }

  /** Pastes the command that is printed behind the marker. */
  paste(text: string, marker: RegExp): void {
    const command = marker.exec(text)?.[1];
    assert.ok(command !== undefined, text);
    execFileSync("sh", ["-c", command], { cwd: this.bench.cwd });
  }
}

const LINES = ["1", "2", "3", "4", "5", "6", "7", "8", ""];
const withLine = (nth: number, text: string): string => LINES.with(nth - 1, text).join("\n");
const BRINGS_BACK = /is kept: (git .*)$/m;
const EDIT = `writeFileSync("file.txt", readFileSync("file.txt", "utf8").replace("\\n2\\n", "\\nagent\\n"));`;
const mine = withLine(1, "mine");

test("W1 W5 W11 a file that the user had changed, and that is as it was carried over, is accepted with the agent's changes; the printed command brings the user's version back", async (t) => {
  const run = new CarriedRun(t, EDIT);
  run.put("file.txt", mine);
  run.put("other.txt", withLine(8, "not for the agent"));
  chmodSync(path.join(run.bench.cwd, "file.txt"), 0o600);
  await run.run();
  assert.equal(run.read("file.txt"), mine);
  const taken = await run.accept();
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  const both = LINES.with(0, "mine").with(1, "agent").join("\n");
  assert.equal(run.read("file.txt"), both);
  assert.equal(run.git("show", "HEAD:file.txt"), both.trimEnd());
  assert.equal(
    run.git("status", "--porcelain"),
    " M other.txt",
    "what the agent left alone stays uncommitted",
  );
  assert.match(taken.stdout, /your uncommitted changes in file\.txt were carried into the run/);
  run.paste(taken.stdout, BRINGS_BACK);
  assert.equal(run.read("file.txt"), mine);
  assert.equal(run.git("log", "--format=%s").split("\n").length, 2, "history stays");
});

test("W1 W5 W11 staged, half staged, deleted and untracked files that were carried over are accepted; each comes back by the printed command, and what was staged is kept too", async (t) => {
  const run = new CarriedRun(
    t,
    `for (const name of ["file.txt", "gone.txt", "half.txt", "new.txt"]) writeFileSync(name, "agent " + name + "\\n");
     rmSync("dropped.txt");`,
  );
  run.put("half.txt", "one\n");
  run.put("dropped.txt", "one\n");
  run.git("add", "half.txt", "dropped.txt");
  run.git("commit", "-qm", "more");
  run.put("file.txt", mine);
  run.git("add", "file.txt");
  rmSync(path.join(run.bench.cwd, "gone.txt"));
  run.put("half.txt", "staged\n");
  run.git("add", "half.txt");
  run.put("half.txt", "not staged\n");
  run.put("new.txt", "untracked\n");
  run.put("dropped.txt", "changed\n");
  await run.run();
  const taken = await run.accept();
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  assert.equal(run.git("status", "--porcelain"), "");
  assert.deepEqual(
    ["file.txt", "gone.txt", "half.txt", "new.txt", "dropped.txt"].map((name) => run.read(name)),
    ["agent file.txt\n", "agent gone.txt\n", "agent half.txt\n", "agent new.txt\n", null],
  );
  assert.deepEqual(
    readdirSync(path.join(run.bench.cwd, ".git")).filter((name) => /holdfast|lock/.test(name)),
    [],
  );
  run.paste(taken.stdout, BRINGS_BACK);
  assert.deepEqual(
    ["file.txt", "gone.txt", "half.txt", "new.txt", "dropped.txt"].map((name) => run.read(name)),
    [mine, null, "not staged\n", "untracked\n", "changed\n"],
  );
  assert.equal(run.git("show", "refs/holdfast/carried/holdfast/r^2:half.txt"), "staged");
});

test("W5 W11 a carried file that the user has changed since is refused by its name; both printed ways out lead to an acceptance that loses nothing", async (t) => {
  for (const way of ["commit", "aside"] as const) {
    const run = new CarriedRun(t, EDIT);
    run.put("file.txt", mine);
    await run.run();
    const since = LINES.with(0, "mine").with(7, "since").join("\n");
    run.put("file.txt", since);
    const before = [run.git("rev-parse", "HEAD"), run.git("status", "--porcelain")];
    const refused = await run.accept();
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /in the way \(file\.txt\); commit them, or set them aside/);
    assert.deepEqual([run.git("rev-parse", "HEAD"), run.git("status", "--porcelain")], before);
    assert.equal(run.read("file.txt"), since);
    if (way === "aside") run.paste(refused.stderr, /set them aside \((git .*?)\), then again/);
    else run.git("commit", "-qam", "mine");
    const taken = await run.accept();
    assert.equal(taken.code, 0, taken.stdout + taken.stderr);
    if (way === "commit")
      assert.equal(run.read("file.txt"), LINES.with(0, "mine").with(1, "agent").with(7, "since").join("\n"));
    else assert.equal(run.git("show", "stash@{0}:file.txt"), since.trimEnd());
    assert.equal(run.git("status", "--porcelain"), "");
  }
});

test("W5 W11 a carried file that the user has staged otherwise since is refused, and stays as it is in the index", async (t) => {
  const run = new CarriedRun(t, EDIT);
  run.put("file.txt", mine);
  await run.run();
  run.put("file.txt", "staged since, and nowhere else\n");
  run.git("add", "file.txt");
  run.put("file.txt", mine);
  const refused = await run.accept();
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /in the way \(file\.txt\)/);
  assert.equal(run.git("show", ":file.txt"), "staged since, and nowhere else");
  run.git("add", "file.txt");
  const taken = await run.accept();
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
});

test("W1 B4 with a worktree per attempt changed files that are not committed are named before an agent begins; retry continues without them, and untracked ones are named only", async (t) => {
  const run = new CarriedRun(t, 'writeFileSync("made.txt", "made\\n");');
  run.bench.write("holdfast.yaml", "workspace: { isolation: attempt }\n");
  run.git("add", "holdfast.yaml");
  run.git("commit", "-qm", "configured");
  run.put("notes.txt", "untracked\n");
  run.put("file.txt", mine);
  const agent = `function:${path.join(run.bench.root, "agent.mjs")}`;
  const ran = await run.bench.call(["run", "go", "--agent", agent, "--check", "true", "--id", "r"]);
  assert.notEqual(ran.code, 0, ran.stdout);
  const { blocked } = await run.bench.json<{ blocked: { reason: string; detail: string } }>(["status", "r"]);
  assert.equal(blocked.reason, "dispatch_error");
  assert.match(blocked.detail, /not committed is in no worktree of this run \(file\.txt\)/);
  assert.match(ran.stdout, /not copied: file\.txt \(not committed;.*notes\.txt/);
  const again = await run.bench.call(["retry", "r"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  const waited = await run.bench.call(["wait", "r"]);
  assert.equal(waited.code, 0, waited.stdout + waited.stderr);
  const taken = await run.accept();
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  assert.deepEqual([run.read("made.txt"), run.read("file.txt")], ["made\n", mine]);
});
