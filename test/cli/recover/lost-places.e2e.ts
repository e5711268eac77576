import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

const claim = { do: "claim", ok: true, text: "done" };
const writes = (...files: string[]): string =>
  JSON.stringify({
    attempts: [[...files.map((file) => ({ do: "write", file, content: `${file}\n` })), claim]],
  });

const bench = new CliBench({
  "one.json": writes("one"),
  "two.json": writes("two"),
  "three.json": writes("three"),
  "four.json": writes("four"),
  "five.json": writes("five"),
  // The first attempt leaves half of the work, the second none; then the run asks.
  "halves.json": JSON.stringify({
    attempts: [
      [{ do: "write", file: "half", content: "half\n" }, claim],
      [claim],
      [{ do: "write", file: "whole", content: "whole\n" }, claim],
    ],
  }),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: run }
agents:
  one: { use: demo, script: one.json }
  two: { use: demo, script: two.json }
  three: { use: demo, script: three.json }
  four: { use: demo, script: four.json }
  five: { use: demo, script: five.json }
  halves: { use: demo, script: halves.json }
commit: { author: Ada <ada@example.invalid> }
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

const run = async (id: string, agent: string): Promise<void> => {
  const ran = await bench.call(["run", `be ${agent}`, "--agent", agent, "--id", id]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
};

test("W5 W11 G3 accept while another git holds the index changes nothing and names the lock; accepted again, the user's next commit keeps the work", async () => {
  await run("locked", "one");
  const lock = inWork(".git/index.lock");
  writeFileSync(lock, "");
  const refused = await bench.call(["accept", "locked"]);
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(refused.stderr, /another git process has the index: .*\.git\/index\.lock exists/);
  assert.deepEqual([existsSync(inWork("one")), git("log", "--format=%s")], [false, "begin"]);
  rmSync(lock);
  const accepted = await bench.call(["accept", "locked"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("status", "--porcelain"), "");
  git("commit", "-q", "--allow-empty", "-m", "the user's own");
  assert.equal(git("show", "HEAD:one"), "one");
});

const treeOf = async (id: string): Promise<string> =>
  (await bench.json<{ workspace: { folder: string } }>(["status", id])).workspace.folder;

test("W3 W5 G3 a run whose worktree was deleted and pruned is accepted as if it stood, and the journal says that it was made again", async () => {
  await run("deleted", "two");
  rmSync(await treeOf("deleted"), { recursive: true });
  git("worktree", "prune");
  const accepted = await bench.call(["accept", "deleted"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.deepEqual([git("show", "HEAD:two"), git("status", "--porcelain")], ["two", ""]);
  await bench.receives("deleted", '"remade"');
  assert.match(
    (await bench.call(["events", "deleted"])).stdout,
    /was gone, and was made again from its branch/,
  );
});

test("W3 G3 G4 a blocked run whose worktree was deleted goes on with retry, with what its last checkpoint kept", async () => {
  const ran = await bench.call([
    "run",
    "be halves",
    "--agent",
    "halves",
    "--id",
    "halves",
    "--check",
    "test -e whole",
  ]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const tree = await treeOf("halves");
  rmSync(tree, { recursive: true });
  const again = await bench.call(["retry", "halves"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  await bench.reaches("halves", "completed");
  assert.ok(existsSync(path.join(tree, "half")) && existsSync(path.join(tree, "whole")));
});

/** Blocked with half of the work in its worktree, which is then deleted, and forgotten by git. */
async function blockedAndGone(id: string): Promise<string> {
  const ran = await bench.call([
    ...["run", "be halves", "--agent", "halves", "--id", id, "--check", "test -e whole"],
  ]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const tree = await treeOf(id);
  rmSync(tree, { recursive: true });
  git("worktree", "prune");
  return tree;
}

test("W3 G3 restore makes the deleted and pruned worktree of a blocked run again, with what its last checkpoint kept", async () => {
  const tree = await blockedAndGone("restored");
  const restored = await bench.call(["restore", "restored"]);
  assert.equal(restored.code, 0, restored.stdout + restored.stderr);
  assert.ok(existsSync(path.join(tree, "half")), restored.stdout);
  assert.equal(git("-C", tree, "symbolic-ref", "--short", "HEAD"), "holdfast/restored");
});

test("W3 W6 G3 reissue gives the work of a run whose worktree was deleted and pruned out again, in the worktree made again", async () => {
  const tree = await blockedAndGone("reissued");
  const reissued = await bench.call(["reissue", "reissued", "--reason", "baseline"]);
  assert.equal(reissued.code, 0, reissued.stdout + reissued.stderr);
  await bench.reaches("reissued", "completed");
  assert.ok(existsSync(path.join(tree, "whole")));
  assert.equal(git("show", "holdfast/reissued:whole"), "whole");
});

test("W3 W5 a run whose branch was deleted is accepted from the last commit of the journal", async () => {
  await run("branchless", "three");
  git("update-ref", "-d", "refs/heads/holdfast/branchless");
  const accepted = await bench.call(["accept", "branchless"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.deepEqual([git("show", "HEAD:three"), git("log", "--format=%s", "-1")], ["three", "work: be three"]);
});

test("W3 W5 G3 a run whose branch was moved is refused with what happened, and goes on with the printed command", async () => {
  await run("moved", "four");
  const [last, main] = [git("rev-parse", "holdfast/moved"), git("rev-parse", "main")];
  git("update-ref", "refs/heads/holdfast/moved", main);
  const refused = await bench.call(["accept", "moved"]);
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(
    refused.stderr,
    /somebody moved the branch holdfast\/moved to .* away from the run's last commit/,
  );
  const command = /to put it back: (git .*?);/.exec(refused.stderr)?.[1] ?? "";
  execFileSync("sh", ["-c", command]);
  assert.equal(git("rev-parse", "holdfast/moved"), last);
  const accepted = await bench.call(["accept", "moved"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("show", "HEAD:four"), "four");
});

test("W5 W11 G3 commits that the user dropped while the run worked are a question, and both printed answers are commands", async () => {
  git("commit", "-q", "--allow-empty", "-m", "a draft");
  await run("dropped", "five");
  git("reset", "-q", "--hard", "HEAD~1");
  const before = git("rev-parse", "main");
  const asked = await bench.call(["accept", "dropped"]);
  assert.equal(asked.code, 5, asked.stdout + asked.stderr);
  assert.match(asked.stderr, /begun on 1 commit that you have dropped from main since \(\w+ a draft\)/);
  assert.equal(git("rev-parse", "main"), before);
  const [leave = "", bring = ""] = asked.stderr.match(/holdfast accept dropped --dropped \w+/g) ?? [];
  assert.match(bring, /bring$/);
  const accepted = await bench.call(pasted(leave));
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("rev-parse", "main^"), before);
  assert.doesNotMatch(git("log", "--format=%s", "main"), /a draft/);
});

test("G3 G4 G6 a person who repaired a step by hand says so: its checks decide, who said it stands in the journal, and the run goes on", async () => {
  const flow = `name: repaired
steps:
  - { name: build, task: make whole, agent: one, checks: [{ run: "test -e whole" }] }
  - { name: after, task: go on, agent: two, needs: [build] }
`;
  writeFileSync(inWork("repaired.yaml"), flow);
  const ran = await bench.call(["run", "--flow", "repaired.yaml", "--id", "repaired"]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const begun = async (): Promise<number> =>
    (await bench.eventsOf("repaired")).filter(({ type }) => type === "AttemptStarted").length;
  const before = await begun();
  const early = await bench.call(["accept", "repaired", "--step", "build", "--as-done"]);
  assert.equal(early.code, 0, early.stdout + early.stderr);
  await bench.receives("repaired", '"number":');
  await bench.reaches("repaired", "blocked");
  assert.equal(await begun(), before, "no agent is started for work that does not pass");
  writeFileSync(path.join(await treeOf("repaired"), "whole"), "by hand\n");
  const done = await bench.call(["accept", "repaired", "--step", "build", "--as-done"]);
  assert.equal(done.code, 0, done.stdout + done.stderr);
  await bench.reaches("repaired", "completed");
  const events = await bench.eventsOf("repaired");
  const said = events.filter(({ type }) => type === "StepDoneByHand");
  assert.equal(said.length, 2);
  assert.match(JSON.stringify(said[1]?.data), /"by":"\w+/);
  assert.equal(git("show", "holdfast/repaired:whole"), "by hand", "and it is committed");
  const wrong = await bench.call(["accept", "repaired", "--step", "build", "--as-done"]);
  assert.match(wrong.stderr, /"build" is succeeded already/);
});
