import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Recorded } from "../../../src/model/events/events.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const claim = { do: "claim", ok: true, text: "done" };
const script = (...acts: unknown[]): string => JSON.stringify({ attempts: [[...acts, claim]] });

const FLOW = `name: two
steps:
  - { name: first, task: write one, agent: first, checks: [{ run: "test -e one" }] }
  - { name: second, task: write two, agent: second, needs: [first] }
`;

const bench = new CliBench({
  "first.json": script({ do: "write", file: "one", content: "1\n" }),
  "second.json": script(
    { do: "write", file: "two", content: "2\n" },
    { do: "append", file: "told", line: "{task}" },
  ),
  "stuck.json": script({ do: "write", file: "half", content: "half\n" }, { do: "hang" }),
  "flow.yaml": FLOW,
  "early.json": script({ do: "write", file: "early", content: "1\n" }),
  "late.json": script(
    { do: "write", file: "late", content: "2\n" },
    { do: "progress", text: "late is there" },
    { do: "wait", file: "go" },
  ),
  "part.yaml": `name: part
steps:
  - { name: plan, task: be early, agent: early }
  - { name: build, task: be late, agent: late, needs: [plan] }
`,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: none }
agents:
  first: { use: demo, script: first.json }
  second: { use: demo, script: second.json }
  stuck: { use: demo, script: stuck.json }
  early: { use: demo, script: early.json }
  late: { use: demo, script: late.json }
commit:
  author: Ada <ada@example.invalid>
  signOff: true
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const inWork = (name: string): string => path.join(bench.cwd, name);

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

const filesOf = (commit: string): string[] =>
  git("diff-tree", "--no-commit-id", "--name-only", "-r", commit).split("\n").sort();

test("W5 W12 each step's work is committed exactly, on the user's terms, before the next begins; what passed its checks is tagged good", async () => {
  writeFileSync(inWork("mine"), "a draft of the user's\n");
  const ran = await bench.call(["run", "--flow", "flow.yaml", "--id", "apart", "--worktree"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const [second = "", first = "", ...older] = git("rev-list", "holdfast/apart").split("\n");
  assert.equal(older.length, 1);
  assert.deepEqual(
    [filesOf(first), filesOf(second)],
    [["one"], ["told", "two"]],
    "nothing but what each step has changed",
  );
  assert.equal(git("rev-parse", "good/apart/first"), first);
  assert.equal(git("tag", "--list"), "good/apart/first", "a step without checks has proved nothing");
  assert.equal(git("show", "-s", "--format=%an <%ae>", first), "Ada <ada@example.invalid>");
  const message = git("show", "-s", "--format=%B", first);
  assert.match(
    message,
    /^first: the flow two\n\nHoldfast-Run: apart\nHoldfast-Step: first\nSigned-off-by: Ada/,
  );
  const events = await bench.eventsOf("apart");
  const committed = events.findIndex(({ type }) => type === "WorkCommitted");
  const begun = events.findIndex(({ type, data }) => type === "AttemptStarted" && data.step === "second");
  assert.ok(committed > 0 && committed < begun, "the second step began on a committed tree");
});

test("W5 W11 accept takes the branch into the user's; what is the user's own stays, and where it is in the way nothing happens", async () => {
  writeFileSync(inWork("two"), "the user's own\n");
  const refused = await bench.call(["accept", "apart"]);
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(refused.stderr, /your own changes in .* are in the way/);
  assert.equal(readFileSync(inWork("two"), "utf8"), "the user's own\n");
  assert.equal(git("log", "--format=%s", "main"), "begin");
  rmSync(inWork("two"));
  git("commit", "-qm", "another thing", "--allow-empty");

  const accepted = await bench.json<{ how: string; into: string; commit: string }>(["accept", "apart"]);
  assert.deepEqual([accepted.how, accepted.into], ["merge", "main"]);
  assert.equal(git("rev-parse", "main"), accepted.commit);
  assert.equal(readFileSync(inWork("two"), "utf8"), "2\n");
  assert.equal(git("status", "--porcelain"), "?? mine", "the tree is clean but for what was the user's");
  await bench.reaches("apart", "completed");
  const events = await bench.eventsOf("apart");
  const made = events.find(({ type }) => type === "WorktreeCreated");
  await bench.receives("apart", "snapshot");
  const removed = events.find(({ type }) => type === "WorktreeRemoved") ?? (await laterRemoved());
  assert.ok(made?.type === "WorktreeCreated" && removed !== undefined);
  assert.ok(!existsSync(made.data.tree), "the worktree is gone");
  assert.match(git("branch", "--list", "holdfast/apart"), /holdfast\/apart/);
});

/** The worktree is removed once the run has ended again, shortly after the answer. */
async function laterRemoved(): Promise<Recorded | undefined> {
  for (const until = Date.now() + 60_000; Date.now() < until;) {
    const found = (await bench.eventsOf("apart")).find(({ type }) => type === "WorktreeRemoved");
    if (found !== undefined) return found;
  }
  return undefined;
}

test("W5 W12 work in the user's own tree is committed when asked, the user's drafts left out; a message must keep the rules", async () => {
  rmSync(inWork("two"));
  git("commit", "-qam", "without two");
  const ran = await bench.call(["run", "write two", "--agent", "second", "--id", "here"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const long = await bench.call(["commit", "here", "--message", "x".repeat(80)]);
  assert.equal(long.code, 5, long.stdout + long.stderr);
  assert.match(long.stderr, /first line has 80 characters; expected at most 72/);
  const done = await bench.json<{ files: string[]; branch: string }>([
    "commit",
    "here",
    "--message",
    "feat: two\n\nagain",
  ]);
  assert.deepEqual([done.files, done.branch], [["told", "two"], "main"]);
  assert.deepEqual(filesOf("main"), ["told", "two"]);
  assert.match(git("show", "-s", "--format=%B", "main"), /^feat: two\n\nagain\n\nHoldfast-Run: here/);
  assert.equal(git("status", "--porcelain"), "?? mine");
  await bench.reaches("here", "completed");
});

test("W4 a step is handed over to another agent, which is given what was before; the record stands in the journal", async () => {
  const ran = await bench.call(["run", "finish it", "--agent", "stuck", "--id", "handed", "--detach"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  await bench.receives("handed", "half");
  const over = await bench.call(["handoff", "handed", "--to", "second", "--reason", "it hangs"]);
  assert.equal(over.code, 0, over.stdout + over.stderr);
  await bench.reaches("handed", "completed");
  const record = (await bench.eventsOf("handed")).find(({ type }) => type === "HandedOver");
  assert.ok(record?.type === "HandedOver");
  assert.deepEqual(
    [record.data.from, record.data.to, record.data.reason, record.data.record.branch],
    ["stuck", "second", "it hangs", "main"],
  );
  const reported = readFileSync(inWork("told"), "utf8");
  assert.match(reported, /this task was stuck's before/);
  assert.ok(existsSync(inWork("half")), "what was done before stays");
});

test("W5 accept --step takes in what was committed up to that step, while a later one is at work; the rest is accepted after it", async () => {
  const started = await bench.call(["run", "--flow", "part.yaml", "--id", "part", "--worktree", "--detach"]);
  assert.equal(started.code, 0, started.stderr);
  await bench.receives("part", "late is there");
  const wrong = await bench.call(["accept", "part", "--step", "build"]);
  assert.equal(wrong.code, 5);
  assert.match(wrong.stderr, /nothing of "build" is committed; there are commits of plan/);
  assert.match(
    (await bench.call(["accept", "part", "--step", "nope"])).stderr,
    /the run has no step "nope"; its steps are plan, build/,
  );
  const taken = await bench.call(["accept", "part", "--step", "plan"]);
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  assert.match(taken.stdout, /the work up to plan is in main now/);
  assert.deepEqual([existsSync(inWork("early")), existsSync(inWork("late"))], [true, false]);
  const { status, workspace } = await bench.json<{ status: string; workspace: { folder: string } }>([
    "status",
    "part",
  ]);
  assert.equal(status, "running", "the later step is still at work");
  writeFileSync(path.join(workspace.folder, "go"), "");
  await bench.reaches("part", "completed");
  assert.ok(existsSync(workspace.folder), "what is not accepted keeps its worktree");
  const rest = await bench.call(["accept", "part"]);
  assert.equal(rest.code, 0, rest.stdout + rest.stderr);
  assert.ok(existsSync(inWork("late")));
});

test("W5 P4 where nothing was kept before the agents began a commit asks for names, and one of named files is what the next is counted from", async () => {
  writeFileSync(inWork("above.json"), script({ do: "write", file: "above", content: "above\n" }));
  writeFileSync(
    inWork("holdfast.yaml"),
    `checkpoints: { when: never }
workspace: { isolation: none }
agents: { above: { use: demo, script: above.json } }
commit: { author: Ada <ada@example.invalid> }
`,
  );
  const ran = await bench.call(["run", "write above", "--agent", "above", "--id", "unkept"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const all = await bench.call(["commit", "unkept"]);
  assert.equal(all.code, 5, all.stdout + all.stderr);
  assert.match(all.stderr, /nothing was kept before agents began, .*; name the files with --file/);
  const named = await bench.call(["commit", "unkept", "--file", "above"]);
  assert.equal(named.code, 0, named.stdout + named.stderr);
  assert.deepEqual(filesOf("main"), ["above"]);
  writeFileSync(inWork("below"), "below\n");
  const rest = await bench.call(["commit", "unkept"]);
  assert.equal(rest.code, 0, rest.stdout + rest.stderr);
  assert.deepEqual(filesOf("main"), ["below"]);
  await bench.reaches("unkept", "completed");
});
