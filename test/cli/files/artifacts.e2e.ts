import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(5);

const claim = { do: "claim", ok: true, text: "done" };
const GOOD = '{"steps":["mend"]}\n';
const write = (content: string) => ({ do: "write", file: "plan.json", content });

const bench = new CliBench({
  "plan.demo.json": JSON.stringify({
    attempts: [[claim], [write('{"steps":[]}'), claim], [write(GOOD), claim]],
  }),
  "spoil.demo.json": JSON.stringify({ attempts: [[write("spoilt"), claim]] }),
  "reader.ts": `import { readFileSync } from "node:fs";
export default ({ task }) => {
  const file = /- (.*plan\\.json) \\(SHA-256/.exec(task)[1];
  return readFileSync(file, "utf8");
};
`,
  "plan.schema.json": JSON.stringify({
    type: "object",
    required: ["steps"],
    properties: { steps: { type: "array", items: { type: "string" }, minItems: 1 } },
  }),
  "flow.yaml": `name: planned
steps:
  - { name: plan, task: make a plan, agent: plan, outputs: [{ path: plan.json, schema: plan.schema.json }] }
  - { name: spoil, task: spoil it, agent: spoil, needs: [plan] }
  - { name: build, task: follow the plan, agent: reader, needs: [spoil] }
`,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  plan: { use: demo, script: plan.demo.json }
  spoil: { use: demo, script: spoil.demo.json }
  reader: { use: function, module: ./reader.ts }
`,
});
after(() => bench.close());

test("W10 a step that does not deliver what it declared is sent back; once accepted, later steps get exactly those bytes, and people see them by digest", async () => {
  const ran = await bench.call(["run", "--flow", "flow.yaml", "--id", "planned"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "plan.json"), "utf8"), "spoilt");
  const sha256 = createHash("sha256").update(GOOD).digest("hex");
  const status = await bench.json(["status", "planned"]);
  assert.deepEqual(status["artifacts"], [{ step: "plan", path: "plan.json", sha256, bytes: GOOD.length }]);
  assert.equal(status["result"] && (status["result"] as Record<string, unknown>)["build"], GOOD);
  const reported = await bench.call(["status", "planned"]);
  assert.match(reported.stdout, new RegExp(`artifact +plan\\.json of plan: .*${sha256}`));
  const report = await bench.call(["report", "planned"]);
  assert.match(report.stdout, new RegExp(`Artifacts[^]*plan\\.json[^]*${sha256}`));
  const events = await bench.call(["events", "planned", "--type", "StepChecked", "--json"]);
  assert.deepEqual(events.stdout.match(/plan\.json: it (is not there|does not fit its schema)/g), [
    "plan.json: it is not there",
    "plan.json: it does not fit its schema",
  ]);
});

test("P4 W10 a schema that cannot be read is reported before the run begins", async () => {
  bench.write(
    "bad.yaml",
    "name: bad\nsteps:\n  - { name: a, task: t, agent: plan, outputs: [{ path: x, schema: none.json }] }\n",
  );
  const ran = await bench.call(["run", "--flow", "bad.yaml"]);
  assert.equal(ran.code, 2);
  assert.match(
    ran.stderr,
    /bad\.yaml, line 3, column 67: the schema .*none\.json cannot be read: there is no such file/,
  );
});
