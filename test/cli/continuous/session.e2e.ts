import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ContinuousView } from "../../../src/views/continuous/continuous-view.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(4);

const act = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });
const LIMIT_MS = 120_000;

/** Each leaves a line that tells how often its goal was worked. */
const SCRIPTS = {
  "works.json": act(
    { do: "say", text: "{task}" },
    { do: "append", file: "worked", line: "{task}" },
    { do: "usage", usd: 1, tokensIn: 10, tokensOut: 10 },
    { do: "claim", ok: true, text: "done" },
  ),
  "asks.json": JSON.stringify({
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "blocked", reason: "needs_human", text: "which port?" },
      ],
      [
        { do: "append", file: "worked", line: "choose a port" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  }),
  "fails.json": act(
    { do: "say", text: "{task}" },
    { do: "error", text: "no", terminal: true },
    { do: "exit", code: 1 },
  ),
  "ghost.json": act({ do: "exit", code: 3 }),
  "waits.json": act(
    { do: "say", text: "{task}" },
    { do: "append", file: "worked", line: "{task}" },
    { do: "wait", file: "go" },
    { do: "claim", ok: true, text: "done" },
  ),
};

const CONFIG = `
startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
attempts: { perStep: 2 }
backoff: { baseMs: 10, capMs: 10 }
`;

async function withBench(work: (bench: CliBench) => Promise<void>): Promise<void> {
  const bench = new CliBench({ ...SCRIPTS, "holdfast.yaml": CONFIG });
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

const demo = (script: string): string => `demo:./${script}.json`;
const worked = (bench: CliBench): string[] =>
  readFileSync(path.join(bench.cwd, "worked"), "utf8").split("\n").filter(Boolean);
const endsOf = ({ goals }: ContinuousView): string[] => goals.map(({ id, status }) => `${id} ${status}`);

async function until(
  bench: CliBench,
  what: string,
  holds: (view: ContinuousView) => boolean,
): Promise<ContinuousView> {
  for (const end = Date.now() + LIMIT_MS; ; await delay(100)) {
    const view = await bench.json<ContinuousView>(["continuous", "status"]);
    if (holds(view)) return view;
    assert.ok(Date.now() < end, `never ${what}: ${JSON.stringify(view)}`);
  }
}

/** Whoever looks at the store sees what blocks the session. */
async function toldEverywhere(bench: CliBench, run: string): Promise<void> {
  for (const words of [["status"], ["status", run], ["runs"]]) {
    const { stdout } = await bench.call(words);
    assert.match(stdout, /continuous session goals: blocked by goals\.asks\.1 \(needs_human: which port\?\)/);
    assert.match(stdout, /holdfast (unblock|approve|continue)? ?.*goals\.asks\.1/);
  }
  assert.match((await bench.call(["watch", "--once"])).stdout, /goals: blocked by goals\.asks\.1/);
  assert.match((await bench.call(["inbox"])).stdout, /the continuous session goals waits for it/);
  const { inbox } = await bench.json<{ inbox: { run: string; blocks?: string[] }[] }>(["inbox"]);
  assert.deepEqual(
    inbox.map((entry) => [entry.run, entry.blocks]),
    [[run, ["goals"]]],
  );
  const { runs } = await bench.json<{ runs: { run: string; continuous?: string }[] }>(["runs"]);
  assert.deepEqual(
    runs.map((one) => [one.run, one.continuous]),
    [[run, "goals"]],
  );
  const { continuous } = await bench.json<{ continuous: { blockedBy: { run: string }[] }[] }>(["status"]);
  assert.deepEqual(
    continuous.flatMap(({ blockedBy }) => blockedBy.map((one) => one.run)),
    [run],
  );
}

test("G14 a session works the goals of a file by priority, each once, and ends with what was spent", () =>
  withBench(async (bench) => {
    bench.write(
      "goals.yaml",
      `agent: ${demo("works")}
goals:
  - { id: low, goal: sort the mail, priority: -1 }
  - { id: one, goal: fix the tests }
  - { id: high, goal: mend the build, priority: 5 }
`,
    );
    const { stdout, stderr, code } = await bench.call(["continuous", "goals.yaml", "--wait", "--json"]);
    assert.equal(code, 0, stdout + stderr);
    const view = JSON.parse(stdout) as ContinuousView;
    assert.equal(view.end, "completed");
    assert.deepEqual(endsOf(view), ["low done", "one done", "high done"]);
    assert.deepEqual(worked(bench), ["mend the build", "fix the tests", "sort the mail"]);
    assert.deepEqual([view.budget.spent.usd, view.budget.spent.tokens, view.budget.spent.runs], [3, 60, 3]);
    const again = await bench.call(["continuous", "goals.yaml"]);
    assert.equal(again.code, 5);
    assert.match(again.stderr, /the session ended: completed/);
  }));

test("G14 a goal that waits for a person pauses the session, to begin it again changes nothing, and it goes on once unblocked", () =>
  withBench(async (bench) => {
    bench.write(
      "goals.yaml",
      `agent: ${demo("works")}
goals:
  - { id: asks, goal: choose a port, agent: "${demo("asks")}" }
  - { id: next, goal: fix the tests }
`,
    );
    const begun = await bench.call(["continuous", "goals.yaml", "--wait", "--json"]);
    assert.equal(begun.code, 3, begun.stdout + begun.stderr);
    const [blocking] = (JSON.parse(begun.stdout) as ContinuousView).blockedBy;
    assert.deepEqual([blocking?.goal, blocking?.reason], ["asks", "needs_human"]);
    const seq = (JSON.parse(begun.stdout) as ContinuousView).counts;
    const again = await bench.call(["continuous", "goals.yaml"]);
    assert.equal(again.code, 3);
    assert.match(again.stdout, /still blocked by goals\.asks\.1; nothing has changed/);
    assert.ok(again.stdout.includes(blocking?.command ?? "none"), again.stdout);
    await toldEverywhere(bench, "goals.asks.1");
    const resumed = await bench.call(["continuous", "resume"]);
    assert.deepEqual([resumed.code, resumed.stdout.includes("still blocked")], [3, true]);
    assert.deepEqual((await bench.json<ContinuousView>(["continuous", "status"])).counts, seq);
    const unblocked = await bench.call(pasted(blocking?.command ?? ""));
    assert.equal(unblocked.code, 0, unblocked.stderr);
    const view = await until(bench, "went on", ({ end }) => end !== null);
    assert.deepEqual(endsOf(view), ["asks done", "next done"]);
    assert.deepEqual(worked(bench), ["choose a port", "fix the tests"]);
  }));

test("G14 a blocked goal, a failed one and a ghost are passed over by policy; a ghost that fails twice alike ends with the evidence of each try", () =>
  withBench(async (bench) => {
    bench.write(
      "goals.yaml",
      `agent: ${demo("works")}
onBlocked: continue
onFailed: skip
ghosts: { baseMs: 50ms }
goals:
  - { id: asks, goal: choose a port, agent: "${demo("asks")}" }
  - { id: fails, goal: break it, agent: "${demo("fails")}" }
  - { id: ghost, goal: haunt it, agent: "${demo("ghost")}" }
  - { id: last, goal: fix the tests }
`,
    );
    await bench.json(["continuous", "goals.yaml"]);
    const view = await until(
      bench,
      "came to rest",
      ({ counts }) =>
        counts["queued"] === undefined &&
        counts["at_work"] === undefined &&
        counts["waiting"] !== undefined &&
        (counts["ghost_retry_exhausted"] ?? 0) === 1,
    );
    const [fails] = view.goals.filter(({ id }) => id === "fails");
    assert.ok(fails?.status === "failed" || fails?.status === "waiting", JSON.stringify(fails));
    const [ghost] = view.goals.filter(({ id }) => id === "ghost");
    assert.deepEqual([ghost?.status, ghost?.tries], ["ghost_retry_exhausted", 2]);
    assert.match(ghost?.text ?? "", /it failed twice in the same way: try 1 .*; try 2 /);
    assert.deepEqual(worked(bench), ["fix the tests"]);
    const skipped = await bench.json<ContinuousView>(["continuous", "skip", "asks"]);
    assert.ok(endsOf(skipped).includes("asks skipped"));
    await bench.reaches("goals.asks.1", "cancelled");
  }));

test("G14 a failed goal ends the session by default, and what is left is named", () =>
  withBench(async (bench) => {
    bench.write(
      "goals.yaml",
      `goals: [{ id: bad, goal: break it, agent: "${demo("ghost")}" }, { id: left, goal: x }]
agent: ${demo("works")}
ghosts: { retries: 0 }
`,
    );
    const ended = await bench.call(["continuous", "goals.yaml", "--wait", "--json"]);
    const view = JSON.parse(ended.stdout) as ContinuousView;
    assert.deepEqual([ended.code, view.end, view.left], [1, "goal_failed", ["left"]]);
  }));

test("G14 a spent budget ends the session by name, with what is left in the queue", () =>
  withBench(async (bench) => {
    bench.write(
      "goals.yaml",
      `budget: { usd: 2 }
agent: ${demo("works")}
goals: [{ id: a, goal: one }, { id: b, goal: two }, { id: c, goal: three }, { id: d, goal: four }]
`,
    );
    const ended = await bench.call(["continuous", "goals.yaml", "--wait", "--json"]);
    const view = JSON.parse(ended.stdout) as ContinuousView;
    assert.deepEqual([ended.code, view.end], [1, "session_budget_exhausted"], ended.stdout);
    assert.deepEqual(view.left, ["c", "d"]);
    assert.match(view.text ?? "", /^budget exceeded: \$2\.00 of \$2\.00$/);
    assert.deepEqual(worked(bench), ["one", "two"]);
  }));

test("G14 a stop outranks a schedule and survives a kill of the supervisor; resume goes on with the same run", () =>
  withBench(async (bench) => {
    mkdirSync(path.join(bench.cwd, "goals"));
    writeFileSync(path.join(bench.cwd, "goals/a.md"), "sort the mail\n");
    const words = [
      "continuous",
      "--source",
      "goals",
      "--agent",
      demo("waits"),
      "--idle",
      "poll",
      "--in-place",
    ];
    const { supervisor } = await bench.json<{ supervisor: { pid: number } }>(words);
    await bench.receives("goals.a.1", "sort the mail");
    process.kill(supervisor.pid, "SIGKILL");
    const stopped = await bench.json<ContinuousView>(["continuous", "stop"]);
    assert.equal(stopped.status, "stopped");
    await bench.reaches("goals.a.1", "paused");
    writeFileSync(path.join(bench.cwd, "goals/b.md"), "fix the tests\n");
    const again = await bench.call(words);
    assert.deepEqual(
      [again.code, again.stdout.includes("was stopped by")],
      [3, true],
      again.stdout + again.stderr,
    );
    appendFileSync(path.join(bench.cwd, "go"), "");
    await delay(500);
    assert.deepEqual(endsOf(await bench.json<ContinuousView>(["continuous", "status"])).length, 1);
    await bench.json(["continuous", "resume"]);
    await bench.reaches("goals.a.1", "completed");
    const listed = await bench.json<{ sessions: { session: string }[] }>(["continuous", "list"]);
    assert.deepEqual(
      listed.sessions.map(({ session }) => session),
      ["goals"],
    );
  }));
