import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";

let cwd = "";
before(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "holdfast-order-"));
  writeFileSync(path.join(cwd, "agent#1.ts"), "export default () => 1;");
  writeFileSync(path.join(cwd, "agent.ts"), "export default () => 1;");
  writeFileSync(
    path.join(cwd, "f.yaml"),
    "name: f\nsteps:\n  - { name: a, task: x, agent: demo }\n  - { name: b, task: y, agent: dev }\n",
  );
});
after(() => rmSync(cwd, { recursive: true, force: true }));

const config = (value: unknown = {}) => configSchema.parse(value);
const refused = (message: RegExp) => (error: unknown) =>
  isFault(error, "usage") && message.test(error.message);

test("O1 a goal alone becomes a flow of one step that receives the goal", () => {
  const order = runOrder(
    { goal: "fix it", agent: "demo", id: "r1" },
    config({ attempts: { perStep: 2 } }),
    cwd,
  );
  assert.deepEqual(
    order.flow.steps.map(({ name, task, agent }) => ({ name, task, agent })),
    [{ name: "work", task: "fix it", agent: "demo" }],
  );
  assert.equal(order.flow.name, "goal");
  assert.equal(order.settings.attempts.perStep, 2);
  assert.deepEqual([order.goal, order.cwd, order.by, order.id], ["fix it", cwd, "cli", "r1"]);
});

test("O1 --agent takes a configured agent, demo, demo:SCRIPT or function:PATH#EXPORT", () => {
  const agents = (agent: string, value?: unknown) =>
    runOrder({ goal: "g", agent }, config(value), cwd).agents;
  assert.deepEqual(agents("demo"), { demo: { use: "demo", script: "hello" } });
  assert.deepEqual(agents("demo:slow"), { demo: { use: "demo", script: "slow" } });
  assert.deepEqual(agents("function:./agent.ts"), {
    function: { use: "function", module: path.join(cwd, "agent.ts") },
  });
  assert.deepEqual(agents("function:agent.ts#work"), {
    function: { use: "function", module: path.join(cwd, "agent.ts"), export: "work" },
  });
  assert.equal(agents("function:agent#1.ts")["function"]?.module, path.join(cwd, "agent#1.ts"));
  assert.deepEqual(agents("dev", { agents: { dev: { use: "demo", script: "fails" } } }), {
    dev: { use: "demo", script: "fails" },
  });
  assert.deepEqual(agents("demo", { agents: { demo: { use: "demo", script: "fails" } } }), {
    demo: { use: "demo", script: "fails" },
  });
});

test("O1 without --agent the only configured agent works; a flow's steps name their own", () => {
  const only = { agents: { dev: { use: "demo", script: "slow" } } };
  assert.deepEqual(Object.keys(runOrder({ goal: "g" }, config(only), cwd).agents), ["dev"]);
  const flow = runOrder({ goal: undefined, flow: "f.yaml" }, config(only), cwd);
  assert.deepEqual(Object.keys(flow.agents), ["demo", "dev"]);
  assert.equal(flow.goal, "the flow f");
});

test("P4 a wish that cannot be understood is reported with the value and what was expected", () => {
  const wrong: [Parameters<typeof runOrder>[0], RegExp][] = [
    [{ goal: undefined, agent: "demo" }, /nothing to work on; expected a GOAL/],
    [{ goal: undefined }, /nothing to work on; expected a GOAL/],
    [{ goal: "  ", agent: "demo" }, /nothing to work on/],
    [{ goal: "g" }, /which agent shall work\? Expected --agent with one of demo/],
    [{ goal: "g", agent: "dmeo" }, /no agent "dmeo"; did you mean "demo"\?/],
    [{ goal: "g", agent: "function:nope.ts" }, /nope\.ts of --agent function:nope\.ts does not exist/],
  ];
  for (const [wish, message] of wrong) assert.throws(() => runOrder(wish, config(), cwd), refused(message));
});
