import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench, isAlive } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(1);

const bench = new CliBench({
  ".gitignore": "leftover.txt\n",
  "agents.mjs": `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
export async function works({ cwd, task }) {
  appendFileSync(path.join(cwd, "work.txt"), "line\\n");
  writeFileSync(path.join(cwd, "leftover.txt"), "left by the agent\\n");
  appendFileSync(path.join(cwd, "told.txt"), task + "\\n");
  return "done";
}
export async function reviews({ cwd }) {
  const lines = readFileSync(path.join(cwd, "work.txt"), "utf8").trim().split("\\n").length;
  writeFileSync(path.join(cwd, "work.txt"), "spoiled by the reviewer\\n");
  return lines < 2
    ? { verdict: "fail", findings: [{ severity: "high", text: "one line is too few", file: "work.txt" }] }
    : { verdict: "pass", findings: [] };
}
export async function babbles() { return "looks good to me"; }
`,
  "holdfast.yaml": [
    "agents:",
    "  dev: { use: function, module: agents.mjs, export: works }",
    "  critic: { use: function, module: agents.mjs, export: reviews }",
    "  babbler: { use: function, module: agents.mjs, export: babbles }",
    "  slow: { use: demo, script: slow.json }",
    "backoff: { baseMs: 1, capMs: 1 }",
    "checks: { tries: 2 }",
    "workspace: { isolation: none, lock: never }",
    "",
  ].join("\n"),
  // It looks for what it wrote into its own copy before it answers.
  "slow.json": JSON.stringify({
    attempts: [
      [
        { do: "append", file: "reviewing.txt", line: "begun" },
        { do: "sleep", ms: 4_000 },
        { do: "wait", file: "reviewing.txt" },
        { do: "claim", ok: true, text: "looked", value: { verdict: "pass", findings: [] } },
      ],
    ],
  }),
  "clean.yaml":
    "name: clean\nsteps:\n  - { name: make, task: make it, agent: dev, checks: [{ run: 'test -e leftover.txt && test -s work.txt', clean: true }] }\n",
  "whole.yaml":
    "name: whole\nsteps:\n  - { name: make, task: make it, agent: dev, checks: [{ run: 'test ! -e leftover.txt && test -s work.txt && touch here', clean: true }] }\n",
});
execFileSync("git", ["init", "-q", bench.cwd]);
after(() => bench.close());

const copies = (): string[] => {
  const [folder] = readdirSync(bench.home).filter((name) => name.endsWith("-clean"));
  return folder === undefined ? [] : readdirSync(path.join(bench.home, folder));
};

test("G6 a reviewer's fail goes back to the agent with what was found; its pass completes, and nothing it wrote counts", async () => {
  const ended = await bench.call(["run", "it", "--agent", "dev", "--reviewer", "critic", "--id", "reviewed"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "work.txt"), "utf8"), "line\nline\n");
  assert.match(
    readFileSync(path.join(bench.cwd, "told.txt"), "utf8"),
    /high in work\.txt: one line is too few/,
  );
  const reports = (await bench.eventsOf("reviewed")).flatMap((event) =>
    event.type === "EffectSettled" && event.data.outcome.kind === "done" && event.data.outcome.review
      ? [event.data.outcome.review]
      : [],
  );
  assert.deepEqual(
    reports.map(({ verdict }) => verdict),
    ["fail", "pass"],
  );
  assert.ok(reports.every(({ digest }) => digest !== ""));
  assert.deepEqual(copies(), []);
});

test("G6 an answer outside of the schema is no verdict: it is asked once more, and then a person", async () => {
  const ended = await bench.call(["run", "it", "--agent", "dev", "--reviewer", "babbler", "--id", "babbled"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  const asked = (await bench.eventsOf("babbled")).filter(
    (event) => event.type === "EffectIntended" && event.data.effect.kind === "AskReview",
  );
  assert.equal(asked.length, 2);
  const { blocked } = await bench.json<{ blocked: { detail: string } }>(["status", "babbled"]);
  assert.match(blocked.detail, /babbler gave no verdict 2 times[^]*looks good to me/);
});

test("G6 a clean check sees what would be accepted and no leftovers, and leaves nothing behind", async () => {
  const failed = await bench.call(["run", "--flow", "clean.yaml", "--id", "leftover"]);
  assert.equal(failed.code, 3, failed.stdout + failed.stderr);
  assert.ok(existsSync(path.join(bench.cwd, "leftover.txt")));
  const passed = await bench.call(["run", "--flow", "whole.yaml", "--id", "whole"]);
  assert.equal(passed.code, 0, passed.stdout + passed.stderr);
  assert.ok(!existsSync(path.join(bench.cwd, "here")), "the check ran in the tree itself");
  assert.deepEqual(copies(), []);
});

test("G6 J4 a copy that a killed supervisor has left, filled or empty, is removed by the next, which runs the check again", async () => {
  for (const point of ["clean.copied", "clean.made"]) {
    const run = point.replace(".", "-");
    const killed = await bench.call(["run", "--flow", "whole.yaml", "--id", run], {
      env: { HOLDFAST_CRASH_AT: `${point}#1` },
    });
    assert.equal(killed.signal, "SIGKILL", killed.stderr);
    // The supervisor that was started for the first run takes up the second by itself.
    if (point === "clean.copied") {
      assert.equal(copies().length, 1);
      assert.equal((await bench.call(["resume", run])).code, 0);
    }
    await bench.reaches(run, "completed");
    assert.deepEqual(copies(), [], point);
  }
});

/** A folder of its copy that the slow reviewer has begun to work in. */
const isReviewing = (): boolean => {
  const [folder = ""] = readdirSync(bench.home).filter((name) => name.endsWith("-clean"));
  return copies().some((copy) => existsSync(path.join(bench.home, folder, copy, "reviewing.txt")));
};

/** Processes whose folder is, or was, a copy. */
const reviewersAtWork = (): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      return cwd.startsWith(bench.home) && cwd.includes("-clean");
    } catch {
      return false;
    }
  });

for (const [how, signal] of [
  ["killed", "SIGKILL"],
  ["ended", "SIGTERM"],
] as const)
  test(`G6 J4 a reviewer at work when its supervisor is ${how} goes on in its copy, and the next one receives it`, async () => {
    const id = `outlived-${how}`;
    const order = ["run", "it", "--agent", "dev", "--reviewer", "slow", "--id", id, "--detach"];
    const pid = Number(/pid (\d+)/.exec((await bench.call(order)).stdout)?.[1]);
    while (!isReviewing()) await delay(20);
    process.kill(pid, signal);
    while (isAlive(pid)) await delay(20);
    assert.ok(isReviewing(), "its copy is gone");
    assert.equal((await bench.call(["resume", id])).code, 0);
    await bench.reaches(id, "completed");
    const asked = (await bench.eventsOf(id)).filter(
      (event) => event.type === "EffectIntended" && event.data.effect.kind === "AskReview",
    );
    assert.equal(asked.length, 1, "it was asked once");
    assert.deepEqual(copies(), []);
  });

test("A5 G6 a run that is cancelled after its supervisor was killed leaves no reviewer at work, and no copy", async () => {
  const order = ["run", "it", "--agent", "dev", "--reviewer", "slow", "--id", "left", "--detach"];
  const pid = Number(/pid (\d+)/.exec((await bench.call(order)).stdout)?.[1]);
  while (!isReviewing()) await delay(20);
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) await delay(20);
  assert.notDeepEqual(reviewersAtWork(), []);
  await bench.call(["cancel", "left"]);
  await bench.reaches("left", "cancelled");
  assert.deepEqual(copies(), []);
  assert.deepEqual(reviewersAtWork(), []);
});

test("G6 a reviewer that nobody knows is refused before the run", async () => {
  const ended = await bench.call(["run", "it", "--agent", "dev", "--reviewer", "nobody"]);
  assert.equal(ended.code, 2);
  assert.match(ended.stderr, /its reviewer "nobody" is not configured/);
});
