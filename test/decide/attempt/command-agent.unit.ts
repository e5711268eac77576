import assert from "node:assert/strict";
import { test } from "node:test";
import { healthLimits } from "../../../src/fold/health/health-limits.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { FlowRun, only } from "../flow-run.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";

const HOUR_MS = 3_600_000;

function silentFor(spec: AgentSpec, ms: number): string[] {
  const run = new FlowRun({ name: "f", steps: [{ name: "work", task: "do it" }] });
  run.state.agents["dev"] = spec;
  run.settle("StartAgent", { kind: "done" });
  run.turn([], ms);
  return only(run.events, "AttemptEnding").map(({ to }) => to);
}

test("A11 A4 a program that prints text may be silent until its end, one that is described may not", () => {
  const text: AgentSpec = { use: "command", command: ["agent", "{task}"] };
  assert.deepEqual(silentFor(text, HOUR_MS / 2), []);
  const described: AgentSpec = { ...text, signals: [{ is: "message", text: "say" }] };
  assert.deepEqual(silentFor(described, HOUR_MS / 2), ["stalled"]);
});

test("A11 A4 silence of a program says something once it has reported the calls or the cost of a model", () => {
  const settings = runSettingsSchema.parse({});
  const received = { health: { batch: 0 }, spent: { tokens: 0, usd: 0 }, isReady: true } as Parameters<
    typeof healthLimits
  >[2];
  assert.equal(healthLimits(settings, "command", received).timed, false);
  const reported = { ...received, spent: { ...received.spent, tokens: 10 } };
  assert.equal(healthLimits(settings, "command", reported).timed, true);
});
