import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { Report } from "../../../src/views/report/report.ts";
import { CliBench } from "../cli-process.ts";
import { killOwner } from "../kill-owner.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(3);

const claim = { do: "claim", ok: true, text: "done" };
const plan = (...steps: readonly object[]) => [
  { do: "say", text: "I was asked: {task}" },
  { do: "write", file: "plan.json", content: JSON.stringify({ steps }) },
  claim,
];

const bench = new CliBench({
  ".gitignore": "*-may-end\n",
  // Forgets a need at first, then plans with an agent that never succeeds, and goes another way when told so.
  "planner.json": JSON.stringify({
    attempts: [
      plan({ name: "lay", task: "lay the ground", needs: ["nowhere"] }),
      plan(
        { name: "lay", task: "lay the ground" },
        { name: "build", task: "build it", agent: "hasty", needs: ["lay"], attemptsMax: 1 },
        { name: "paint", task: "paint it", needs: ["build"] },
      ),
      plan({ name: "build-slowly", task: "build it", needs: ["lay"] }),
    ],
  }),
  "dev.json": JSON.stringify({
    attempts: [
      [{ do: "append", file: "made", line: "{step}" }, { do: "wait", file: "{step}-may-end" }, claim],
    ],
  }),
  "hasty.json": JSON.stringify({
    attempts: [
      [
        { do: "error", text: "it does not fit" },
        { do: "exit", code: 1 },
      ],
    ],
  }),
  "planned.yaml": `name: planned
steps:
  - { name: plan, task: "plan {goal}", agent: planner, authority: proposes, plans: { agents: [dev, hasty] } }
  - { name: ship, task: ship it, agent: dev, needs: [plan] }
`,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
supervisor: { scanMs: 100 }
agents:
  planner: { use: demo, script: planner.json }
  dev: { use: demo, script: dev.json }
  hasty: { use: demo, script: hasty.json }
`,
});
execFileSync("git", ["init", "-q", bench.cwd]);
after(() => bench.close());

/** Kills the one that works the run, and has another one go on. */
async function killed(): Promise<void> {
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  try {
    assert.ok(await killOwner(system, "p"), "nobody worked the run");
  } finally {
    await system.close();
  }
  await bench.json(["up", "--detach"]);
}

const mayEnd = (...steps: readonly string[]): void => {
  for (const step of steps) bench.write(`${step}-may-end`, "");
};

test("G1 R6 J4 an agent turns a goal into steps and replans after one has failed, with supervisors killed in between; done work stays and nothing is done twice", async () => {
  await bench.json(["run", "a shed", "--flow", "planned.yaml", "--id", "p", "--detach"]);
  await bench.receives("p", '"attempt":"lay#1"');
  await killed();
  mayEnd("lay");
  await bench.receives("p", "These are dropped");
  await bench.receives("p", '"attempt":"build-slowly#1"');
  await killed();
  mayEnd("build-slowly", "ship");
  await bench.reaches("p", "completed");
  // A step that is taken up again goes on in its session: each was begun once.
  assert.equal(readFileSync(path.join(bench.cwd, "made"), "utf8"), "lay\nbuild-slowly\nship\n");
  assert.ok(!existsSync(path.join(bench.cwd, "plan.json")), "a plan is no work of the run");

  const events = await bench.eventsOf("p");
  const plans = events.flatMap(({ type, data }) =>
    type === "StepsPlanned" ? [data.steps.map(({ name }) => name)] : [],
  );
  assert.deepEqual(plans, [["lay", "build", "paint"], ["build-slowly"]]);
  const tasks = events.flatMap(({ type, data }) =>
    type === "EffectIntended" && data.effect.kind === "StartAgent" && data.effect.step === "plan"
      ? [data.effect.task]
      : [],
  );
  assert.equal(tasks.length, 3);
  assert.match(tasks[1] ?? "", /nowhere/, "what was wrong with the first plan");
  assert.match(
    tasks[2] ?? "",
    /step "build" has failed: .*it does not fit[^]*done and stay: lay\.[^]*dropped, .*: build, paint/,
  );

  const { parts } = await bench.json<Report>(["report", "p"]);
  const steps = parts.find(({ title }) => title === "Steps")?.table?.rows ?? [];
  assert.deepEqual(
    steps.map(([name, status, , , by]) => [name, status, by]),
    [
      ["plan", "succeeded", ""],
      ["ship", "succeeded", ""],
      ["lay", "succeeded", "plan"],
      ["build", "dropped", "plan"],
      ["paint", "dropped", "plan"],
      ["build-slowly", "succeeded", "plan"],
    ],
  );
  const turns = parts.find(({ title }) => title === "Turns")?.table?.rows.map((row) => row.at(-1)) ?? [];
  assert.equal(turns.filter((turn) => turn?.includes("took the run over") === true).length, 2);
  const why = await bench.call(["why", "p"]);
  assert.match(why.stdout, /4 steps succeeded, 2 dropped/);
  assert.match(why.stdout, /planned 1 step: build-slowly/);
  assert.equal((await bench.call(["verify", "p"])).code, 0);
});
