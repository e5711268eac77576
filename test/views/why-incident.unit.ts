import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recorded, RunEvent } from "../../src/model/events/events.ts";
import { whyView } from "../../src/views/why/why.ts";
import { Circling } from "../decide/circling.ts";
import { EXAMPLES } from "../model/example-events.ts";

test("G13 R2 why shows an incident from its start to its end: what was seen, every remedy with what became of it, and the stop", () => {
  const run = new Circling({ use: "acp", command: ["x"] });
  run.work(4 * 3_600_000);
  assert.equal(run.state.status, "blocked");
  const events = [{ type: "RunCreated", data: EXAMPLES.RunCreated } as RunEvent, ...run.events].map(
    (event, index): Recorded => ({ ...event, run: "run_1", seq: index + 1, at: index * 1_000, hash: "" }),
  );
  const reported = whyView(events, null).chain;
  const types = reported.map(({ type }) => type);
  const remedies = reported.filter(({ type }) => type === "RemedyTaken").map(({ text }) => text);
  for (const words of ["a warning", "a nudge", "another way", "a restart", "asking an operator"])
    assert.ok(
      remedies.some((text) => text.includes(words)),
      `${words} is not told:\n${remedies.join("\n")}`,
    );
  assert.ok(types.indexOf("HealthChanged") < types.indexOf("RemedyTaken"));
  assert.ok(types.includes("RunBlocked"));
  assert.ok(types.includes("RemedyJudged"));
});
