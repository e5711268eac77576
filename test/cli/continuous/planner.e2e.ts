import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ContinuousView } from "../../../src/views/continuous/continuous-view.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(1);

const LIMIT_MS = 120_000;
const script = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });
const says = (text: string): string =>
  script(
    { do: "say", text: "I look at it" },
    { do: "usage", usd: 0.5, tokensIn: 10, tokensOut: 10 },
    { do: "claim", ok: true, text },
  );

const FILES = {
  "VISION.md": "A garden with trees.\n",
  "sees-nothing.json": says('{"goals":[]}'),
  "plans.json": says('```json\n{"goals":[{"goal":"plant a tree"}]}\n```'),
  "orders.json": says('{"goals":[{"goal":"x","checks":["touch pwned"]}]}'),
  "works.json": script({ do: "say", text: "{task}" }, { do: "claim", ok: true, text: "done" }),
  "holdfast.yaml": `startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
`,
};

const session = (planner: string, rest = ""): string => `agent: "demo:./works.json"
idle: { policy: plan, vision: VISION.md, planner: "demo:./${planner}.json", everyMs: 200, maxMs: 200 }
goals: []
${rest}`;

async function withBench(work: (bench: CliBench, git: (...args: string[]) => void) => Promise<void>) {
  const bench = new CliBench({
    ...FILES,
    "waits.yaml": session("sees-nothing"),
    "works.yaml": session("plans", "budget: { runs: 3 }\n"),
    "orders.yaml": session("orders"),
  });
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@b.invalid", ...args]);
  git("init", "-q", "-b", "work");
  git("add", "-A");
  git("commit", "-qm", "begin");
  try {
    await work(bench, git);
  } finally {
    await bench.close();
  }
}

async function until(bench: CliBench, holds: (view: ContinuousView) => boolean): Promise<ContinuousView> {
  for (const end = Date.now() + LIMIT_MS; ; await delay(100)) {
    const view = await bench.json<ContinuousView>(["continuous", "status"]);
    if (holds(view)) return view;
    assert.ok(Date.now() < end, JSON.stringify(view));
  }
}

const done = (id: string) => (view: ContinuousView) =>
  view.goals.some((goal) => goal.id === id && goal.status === "done");

test("G14 a planner is asked for the next goals, again only once the vision or the repository has changed", () =>
  withBench(async (bench, git) => {
    await bench.json(["continuous", "waits.yaml"]);
    await until(bench, done("plan-1"));
    const waited = await until(bench, ({ idleRounds }) => idleRounds >= 4);
    assert.equal(waited.goals.length, 1, "no new evidence, no new run");
    bench.write("VISION.md", "A garden with trees and a pond.\n");
    await until(bench, done("plan-2"));
    git("commit", "-aqm", "dig");
    const view = await until(bench, done("plan-3"));
    assert.deepEqual([view.budget.spent.usd, view.budget.spent.runs], [1.5, 3]);
    const { stdout } = await bench.call(["events", "waits.plan-2.1", "--type", "RunCreated", "--json"]);
    assert.match(stdout, /\| A garden with trees and a pond\./);
    assert.equal((await bench.call(["continuous", "stop"])).code, 0);
  }));

test("G14 what a planner names is worked by the session's agent, within one budget", () =>
  withBench(async (bench) => {
    const { stdout, code } = await bench.call(["continuous", "works.yaml", "--wait", "--json"]);
    const view = JSON.parse(stdout) as ContinuousView;
    assert.deepEqual([code, view.end, view.left], [1, "session_budget_exhausted", ["plan-2-1"]], stdout);
    assert.deepEqual(
      view.goals.map(({ id, status }) => `${id} ${status}`),
      ["plan-1 done", "plan-1-1 done", "plan-2 done", "plan-2-1 queued"],
    );
    const worked = await bench.call(["events", "works.plan-1-1.1", "--json"]);
    assert.match(worked.stdout, /"text":"plant a tree"/);
    const asked = await bench.call(["events", "works.plan-2.1", "--type", "RunCreated", "--json"]);
    assert.match(asked.stdout, /\| done: plant a tree/, "it is told what became of it");
  }));

test("G14 a planner that names commands is refused, and nothing of its answer is done", () =>
  withBench(async (bench) => {
    const { stdout, code } = await bench.call(["continuous", "orders.yaml", "--wait", "--json"]);
    const view = JSON.parse(stdout) as ContinuousView;
    assert.deepEqual([code, view.end], [1, "goal_failed"], stdout);
    assert.match(view.text ?? "", /the planner's answer is not usable .*checks/);
    assert.equal(existsSync(path.join(bench.cwd, "pwned")), false);
    const none = await bench.call(["continuous", "--source", "command:true", "--vision", "nowhere.md"]);
    assert.deepEqual([none.code, /nowhere\.md cannot be read/.test(none.stderr)], [2, true], none.stderr);
  }));
