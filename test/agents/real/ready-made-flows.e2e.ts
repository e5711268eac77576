import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { agentsTier } from "../agents-tier.ts";
import { claude } from "./agent-setup.ts";
import { notInstalled } from "./agent-stage.ts";
import { Show, story } from "./show.ts";

/** It begins the fastest of all. */
const { name, program, aim } = claude;

const NOTES = "intake design plan build test review release verify review-1";

/** The same for every step: leaves all notes that flows ask for, mends the tests, and adds a line. */
const WORK = [
  "mkdir -p notes",
  `for n in ${NOTES}; do echo written > notes/$n.md; printf '{"approved": true, "findings": []}' > notes/$n.json; done`,
  "touch green",
  "echo worked >> made.txt",
].join("; ");

const SCRIPT: ModelScriptInput = {
  turns: [{ say: "I will do it.", acts: [{ run: WORK }] }, { say: "It is done." }],
};

/** What each flow is done with, besides its steps: approvals of people, in order. */
const FLOWS: Readonly<
  Record<string, { readonly steps: readonly string[]; readonly asks?: readonly string[] }>
> = {
  "single-goal": { steps: ["work"] },
  "fix-ci": { steps: ["fix"] },
  "plan-build-verify": { steps: ["plan", "build", "verify"] },
  "review-loop": { steps: ["build", "review-1"] },
  "seven-stages": {
    steps: ["intake", "design", "plan", "build", "test", "review", "release"],
    asks: ["design", "release"],
  },
};

test("G17 every ready-made flow is run with a real agent", () => {
  const files = readdirSync(path.resolve(import.meta.dirname, "../../../flows"));
  assert.deepEqual(files.map((file) => path.parse(file).name).sort(), Object.keys(FLOWS).sort());
});

for (const [flow, { steps, asks = [] }] of Object.entries(FLOWS))
  test(
    `G17 P2 the ready-made flow ${flow} comes to its end with the real ${name} on a scripted model`,
    { skip: agentsTier || (program === undefined && notInstalled(name)) },
    async (t) => {
      const show = await Show.open(t, { spec: { use: name, command: program }, aim }, SCRIPT);
      writeFileSync(path.join(show.stage.repo, "ci.sh"), "test -e green\n");
      const check = flow === "fix-ci" ? ["--check", "sh ci.sh"] : [];
      await show.begin("make it green", "--flow", flow, ...check);
      for (const gate of asks) {
        for (const step of steps.slice(0, steps.indexOf(gate) + 1))
          await show.bench.receives(show.run, `"attempt":"${step}#1"`);
        await show.bench.receives(show.run, `"gate":"${gate}"`);
        await show.bench.reaches(show.run, "awaiting_approval");
        const { code, stdout, stderr } = await show.bench.call(["approve", show.run, gate]);
        assert.equal(code, 0, stdout + stderr);
      }
      // Each step has the whole patience of a test: real agents begin slowly on a busy machine.
      for (const step of steps) await show.bench.receives(show.run, `"attempt":"${step}#1"`);
      await show.bench.reaches(show.run, "completed");
      const events = await show.events();
      const done = events.flatMap(({ type, data }) => (type === "StepSucceeded" ? [data.step] : []));
      assert.deepEqual(done, steps, story(events));
      const made = readFileSync(path.join(show.stage.repo, "made.txt"), "utf8");
      assert.equal(made, "worked\n".repeat(steps.length));
      // Two answers of the model for each step, and nothing was refused.
      assert.deepEqual(
        show.positions(),
        steps.flatMap(() => [0, 1]),
      );
      assert.equal((await show.bench.call(["verify", show.run])).code, 0);
    },
  );
