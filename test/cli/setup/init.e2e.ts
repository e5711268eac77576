import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CliBench } from "../cli-process.ts";

test("O1 P4 init writes a configuration that validate finds right, and never over another one", async () => {
  const bench = new CliBench();
  try {
    const file = path.join(bench.cwd, "holdfast.yaml");
    const reported = await bench.json<{ file: string; agents: string[] }>(["init", "--json"]);
    assert.equal(reported.file, file);
    assert.deepEqual(await bench.json(["validate", "holdfast.yaml", "--json"]), {
      ok: true,
      file: "holdfast.yaml",
      kind: "configuration",
      holds: `agents ${reported.agents.join(", ") || "none"}`,
      problems: [],
      warnings: [],
    });
    writeFileSync(file, "attempts: {perStep: 0}\n");
    const second = await bench.call(["init"]);
    assert.equal(second.code, 5);
    assert.match(second.stderr, /there is a configuration already: .*holdfast\.yaml; .*--force/);
    assert.equal(readFileSync(file, "utf8"), "attempts: {perStep: 0}\n");
    const wrong = await bench.call(["validate", "holdfast.yaml"]);
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.stdout,
      /holdfast\.yaml: line 1, column 21: attempts\.perStep is 0; expected at least 1/,
    );
    assert.equal((await bench.call(["init", "--force"])).code, 0);
    assert.equal((await bench.call(["validate", "holdfast.yaml"])).code, 0);
    bench.write("flow.yaml", "name: f\nsteps:\n  - {name: a, task: t, agent: demo, needs: [b]}\n");
    const flow = await bench.json<{ problems: string[] }>(["validate", "flow.yaml", "--json"], 2);
    assert.deepEqual(flow.problems, ['line 3, column 5: "a": it needs "b", which is no step']);
  } finally {
    await bench.close();
  }
});
