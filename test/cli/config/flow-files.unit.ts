import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { importFlow } from "../../../src/cli/config/find-flow.ts";
import { readFlow } from "../../../src/cli/config/load-flow.ts";
import { validateFile } from "../../../src/cli/config/validate-file.ts";
import { runOrder } from "../../../src/cli/run/run-order.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";
import { flowJsonSchema } from "../../../src/model/flow/flow-file.ts";
import { problemsBySchema } from "../../../src/model/values/json-schema.ts";

const at = mkdtempSync(path.join(tmpdir(), "holdfast-flow-files-"));
after(() => {
  rmSync(at, { recursive: true, force: true });
});

const put = (name: string, text: string): string => {
  const file = path.join(at, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

const config = configSchema.parse({ agents: { dev: { use: "demo" }, critic: { use: "demo" } } });
const problemsOf = async (text: string, name = "f.yaml"): Promise<string> => {
  const beside = { agent: undefined, config: () => Promise.resolve(config) };
  return (await validateFile(put(name, text), beside)).problems.join("\n");
};

const FLOW = `
name: feature
roles:
  builder: { agent: dev }
  reader: { agent: critic, authority: reviews }
steps:
  - { name: build, role: builder, task: "do {goal}", outputs: [notes.json] }
  - name: review
    role: reader
    task: look at {goal}
    inputs: [notes.json]
  - name: mend
    role: builder
    task: mend
    when: { step: build, output: notes.json, at: /ready, equals: false }
    onSkipped: run
`;

test("G1 a flow says who does a step by role, what it is given by output, and when it is done at all", () => {
  const { flow } = readFlow(put("whole.yaml", FLOW), { agent: undefined, configured: [] });
  assert.deepEqual(
    flow.steps.map(({ name, agent, authority, needs, inputs }) => ({
      name,
      agent,
      authority,
      needs,
      inputs,
    })),
    [
      { name: "build", agent: "dev", authority: "writes", needs: [], inputs: undefined },
      {
        name: "review",
        agent: "critic",
        authority: "reviews",
        needs: ["build"],
        inputs: [{ step: "build", output: "notes.json" }],
      },
      { name: "mend", agent: "dev", authority: "writes", needs: ["build"], inputs: undefined },
    ],
  );
  assert.deepEqual(flow.steps[2]?.when, [
    { step: "build", output: "notes.json", at: "/ready", equals: false },
  ]);
});

const step = (rest: string): string =>
  `name: f\nroles: {reader: {agent: critic, authority: reviews}}\nsteps:\n  - {name: a, task: t, agent: dev, checks: [{run: "true"}], outputs: [a.json]}\n  - {name: b, task: t, agent: dev${rest}}\n`;

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  [
    "a role that is none",
    ", role: critic",
    /line 5, column \d+: steps\[1\]\.role is "critic".*expected one of the flow's roles: reader/,
  ],
  ["a role beside an agent", ", role: reader", /steps\[1\]\.agent is "dev".*keep one of agent and role/],
  [
    "an input that nobody delivers",
    ", inputs: [b.json]",
    /line 5, column \d+: steps\[1\]\.inputs\[0\].*no step delivers "b\.json"/,
  ],
  [
    "an input of a step that does not deliver it",
    ", inputs: [{step: a, output: b.json}]",
    /line 5, column 5: "b": its input "b\.json" is delivered by nobody/,
  ],
  [
    "an input of no step",
    ", inputs: [{step: x, output: b.json}]",
    /line 5, column 5: "b": it needs "x", which is no step/,
  ],
  [
    "a condition that says nothing",
    ", when: {step: a}",
    /steps\[1\]\.when\[0\].*exactly one of status, verdict and output/,
  ],
  [
    "a condition that compares nothing",
    ", when: {step: a, output: a.json}",
    /one of equals, not, above and below/,
  ],
  [
    "a condition with a key that is almost right",
    ", when: {step: a, statsu: failed}",
    /statsu is not a key here; did you mean "status"/,
  ],
  ["a condition on itself", ", when: {step: b, status: failed}", /"b": it waits for itself/],
  [
    "a status that never comes",
    ", when: {step: a, status: skipped}",
    /line 5, column 5: "b": its condition can never hold: "a" is never skipped/,
  ],
  [
    "a value of no output",
    ", when: {step: a, output: c.json, equals: 1}",
    /can never hold: "a" does not declare the output "c\.json"/,
  ],
  [
    "a number that is none",
    ", when: {step: a, output: a.json, above: 3, below: 2}",
    /can never hold: no number is above 3 and below 2/,
  ],
  [
    "ends that exclude each other",
    ", when: [{step: a, status: succeeded}, {step: a, verdict: fail}]",
    /can never hold together: "a" would have succeeded and failed/,
  ],
  [
    "values that exclude each other",
    ", when: [{step: a, output: a.json, equals: 1}, {step: a, output: a.json, equals: 2}]",
    /can never hold together: "a\.json" would be 1 and 2/,
  ],
  [
    "an input that is missing after a failure",
    ", inputs: [a.json], when: {step: a, status: failed}",
    /its input "a\.json" is missing where "a" is skipped or fails/,
  ],
  [
    "a planner's agent that is none",
    ", plans: {agents: [dave]}",
    /"b": the agent "dave" of its plans is not configured/,
  ],
];

for (const [what, rest, said] of BROKEN)
  test(`G1 a dead end of a flow is found before it runs: ${what}`, async () => {
    assert.match(await problemsOf(step(rest)), said);
  });

test("G1 a verdict of checks that do not exist is a condition that can never hold", async () => {
  const text = step(", when: {step: a, verdict: fail}").replace(', checks: [{run: "true"}]', "");
  assert.match(await problemsOf(text), /can never hold: "a" has no checks/);
});

test("G1 a flow in TypeScript is an object or a function of the goal, and is checked as a file is", async () => {
  const index = pathToFileURL(path.resolve(import.meta.dirname, "../../../src/index.ts")).href;
  const made = put(
    "made.ts",
    `import { defineFlow } from ${JSON.stringify(index)};
export default defineFlow((goal: string) => ({
  name: "made",
  steps: [{ name: "a", task: "first: " + goal, agent: "dev", outputs: ["a.md"] }, { name: "b", task: "then {goal}", agent: "dev", inputs: ["a.md"] }],
}));`,
  );
  const order = runOrder(
    { goal: "mend it", flow: "made.ts", module: await importFlow(made, "mend it") },
    config,
    at,
  );
  assert.deepEqual(
    order.flow.steps.map(({ task }) => task),
    ["first: mend it", "then mend it"],
  );
  assert.deepEqual(order.flow.steps[1]?.needs, ["a"]);
  const bad = `export default { name: "f", steps: [{ name: "a", task: "t", agent: "dev", neds: [] }] };`;
  assert.match(await problemsOf(bad, "bad.ts"), /steps\[0\]\.neds is not a key here; did you mean "needs"/);
  const throws = put("throws.ts", "export default () => { throw new Error('no such goal'); };");
  await assert.rejects(
    importFlow(throws, "g"),
    (error) => isFault(error, "config_invalid") && /no such goal/.test(error.message),
  );
});

test("G1 a flow is found by its name in .holdfast/flows, and one that is not there is reported with where it was looked for", () => {
  put(".holdfast/flows/ship.yaml", FLOW);
  const order = runOrder({ goal: "the thing", flow: "ship" }, config, at);
  assert.equal(order.flow.steps[0]?.task, "do the thing");
  assert.deepEqual(Object.keys(order.agents), ["dev", "critic"]);
  assert.throws(
    () => runOrder({ goal: "x", flow: "shop" }, config, at),
    /there is no flow "shop"; expected a file.*flows/,
  );
  assert.throws(
    () => runOrder({ goal: undefined, flow: "ship" }, config, at),
    /is about \{goal\}, and there is none/,
  );
});

test("G1 the JSON Schema of flows accepts what is accepted, shorthands included, and refuses unknown keys", () => {
  const good = {
    name: "f",
    roles: { r: { agent: "dev" } },
    steps: [
      {
        name: "a",
        task: "t",
        role: "r",
        outputs: ["x.md"],
        inputs: ["y.md"],
        when: { step: "b", status: "failed" },
      },
    ],
  };
  const schema = flowJsonSchema();
  assert.deepEqual(problemsBySchema(schema, good), []);
  assert.notDeepEqual(problemsBySchema(schema, { ...good, stepz: [] }), []);
});

test("G1 the flow in the documentation has no problem, and skips and begins what it says", async () => {
  const page = readFileSync(path.resolve(import.meta.dirname, "../../../docs/flows.md"), "utf8");
  const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1]?.replace("agent: second", "agent: critic") ?? "";
  assert.equal(await problemsOf(text, "documented.yaml"), "");
  const { flow } = readFlow(path.join(at, "documented.yaml"), { agent: undefined, configured: [] });
  assert.deepEqual(
    flow.steps.map(({ name, needs }) => [name, needs]),
    [
      ["plan", []],
      ["build", ["plan"]],
      ["rescue", ["build"]],
      ["review", ["build"]],
      ["migrate", ["review", "plan"]],
      ["announce", ["migrate"]],
    ],
  );
});
