import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { ContinuousView } from "../../../src/views/continuous/continuous-view.ts";
import { CliBench } from "../cli-process.ts";

const script = (name: string, ...acts: object[]): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "append", file: "worked", line: `${name}: {task}` },
        ...acts,
        { do: "usage", usd: 0.1, tokensIn: 10, tokensOut: 10 },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  });

const FILES = {
  "one.json": script("one"),
  "two.json": script("two"),
  "slow.json": script("slow", { do: "sleep", ms: 1_500 }),
  "pair.yaml": `name: pair
steps:
  - { name: first, task: "begin {goal}", agent: one }
  - { name: second, task: "finish {goal}", agent: two, needs: [first] }
`,
  "holdfast.yaml": `agents: { one: { use: demo, script: ./one.json }, two: { use: demo, script: ./two.json } }
startup: { termGraceMs: 500 }
supervisor: { idleExitMs: 60000, scanMs: 100 }
attempts: { perStep: 1 }
backoff: { baseMs: 10, capMs: 10 }
`,
};

interface Ended {
  readonly code: number | null;
  readonly view: ContinuousView;
  readonly worked: readonly string[];
}

/** Works the list to its end. */
async function sessionOf(list: string): Promise<Ended> {
  const bench = new CliBench(FILES);
  try {
    bench.write("goals.yaml", list);
    const { code, stdout, stderr } = await bench.call(["continuous", "goals.yaml", "--wait", "--json"]);
    assert.ok(stdout.startsWith("{"), stdout + stderr);
    const file = path.join(bench.cwd, "worked");
    assert.ok(existsSync(file), `nothing was worked: ${stdout}`);
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return { code, view: JSON.parse(stdout) as ContinuousView, worked: lines };
  } finally {
    await bench.close();
  }
}

test("G9 G14 a session whose tokens are spent ends by name, and says what is left", async () => {
  const { code, view, worked } = await sessionOf(`budget: { tokens: 40 }
agent: demo:./one.json
goals: [{ id: a, goal: alpha }, { id: b, goal: beta }, { id: c, goal: gamma }]
`);
  assert.deepEqual([code, view.end, view.left], [1, "session_budget_exhausted", ["c"]]);
  assert.equal(view.text, "budget exceeded: 40 of 40 tokens");
  assert.equal(view.budget.spent.tokens, 40);
  assert.deepEqual(worked, ["one: alpha", "one: beta"]);
});

test("G9 G14 a session whose time at work is spent ends by name, and starts nothing more", async () => {
  const { code, view, worked } = await sessionOf(`budget: { timeMs: 1200 }
agent: demo:./slow.json
goals: [{ id: a, goal: alpha }, { id: b, goal: beta }]
`);
  assert.deepEqual([code, view.end], [1, "session_budget_exhausted"], JSON.stringify(view));
  assert.match(view.text ?? "", /^budget exceeded: \d+ s of 1 s at work$/);
  assert.ok(view.left?.includes("b"), JSON.stringify(view.left));
  assert.deepEqual(worked, ["slow: alpha"]);
  assert.ok((view.budget.spent.timeMs ?? 0) >= 1_200, String(view.budget.spent.timeMs));
});

test("G14 each goal is worked by the flow and the agent that it names, and by those of the session otherwise", async () => {
  const { code, view, worked } = await sessionOf(`agent: demo:./one.json
goals:
  - { id: plain, goal: alpha }
  - { id: other, goal: beta, agent: "demo:./two.json" }
  - { id: steps, goal: gamma, flow: pair.yaml }
`);
  assert.deepEqual([code, view.end], [0, "completed"], JSON.stringify(view));
  assert.deepEqual(worked, ["one: alpha", "two: beta", "one: begin gamma", "two: finish gamma"]);
  assert.deepEqual(
    view.goals.map(({ id, status }) => `${id} ${status}`),
    ["plain done", "other done", "steps done"],
  );
});
