import assert from "node:assert/strict";
import { test } from "node:test";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { EventData } from "../../../src/model/events/events.ts";
import { Life } from "../../config-keys/life.ts";

const config = configSchema.parse({ agents: { dev: { use: "demo", script: "hello" } } });

/** A run whose owner died after it had written down that the agent is to be started. */
const orphaned = (): Life => new Life(config, { answers: { StartAgent: () => null } });

const claimed = (life: Life): EventData<"RunClaimed"> => ({
  owner: "own_2",
  epoch: life.state.epoch + 1,
  from: "gone",
  host: "alpha",
});

for (const kind of ["cancel", "pause"] as const)
  test(`G2 J4 ${kind} starts no agent: a start that a dead owner left open is given up, and its session ended`, () => {
    const life = orphaned();
    assert.deepEqual(
      Object.values(life.state.effects).map((effect) => effect.kind),
      ["StartAgent"],
    );
    life.answers = {
      StartAgent: () => assert.fail("an agent was started"),
    };
    life.turn([
      { type: "RunClaimed", data: claimed(life) },
      { type: "RequestHeard", data: { requestId: "req_1", request: { kind }, by: "test" } },
    ]);
    assert.equal(life.state.status, kind === "cancel" ? "cancelled" : "paused");
    const ends = life.all("EffectIntended").filter(({ effect }) => effect.kind === "EndAgent");
    assert.equal(ends.length, 1, "it may have begun all the same");
    const [ended] = life.all("AttemptEnded");
    assert.equal(ended?.outcome, kind === "cancel" ? "cancelled" : "interrupted");
    assert.equal(ended.charged, false);
  });

test("G2 J4 an owner that is starting an agent itself waits for it, and ends it then", () => {
  const life = orphaned();
  life.turn([
    { type: "RequestHeard", data: { requestId: "req_1", request: { kind: "cancel" }, by: "test" } },
  ]);
  assert.deepEqual(
    Object.values(life.state.effects).map((effect) => effect.kind),
    ["StartAgent"],
  );
  assert.equal(life.state.status, "pausing");
});
