import assert from "node:assert/strict";
import { test } from "node:test";
import { quotaReached } from "../../src/agents/keeper/spool/spool-quota.ts";
import { statusLines } from "../../src/cli/print/status-lines.ts";
import { evolve } from "../../src/fold/evolve.ts";
import { statusView } from "../../src/views/status/status.ts";
import { describeEvent } from "../../src/views/text/describe-event.ts";
import { EXAMPLES } from "../model/example-events.ts";

test("A2 L7 that an agent has printed more than is read stands in the timeline and in status, with the file and what was left out", () => {
  const created = { type: "RunCreated", data: EXAMPLES.RunCreated } as const;
  let state = evolve(null, created, { run: "run_1", seq: 1, at: 0 });
  assert.equal(statusView(state, null).reached, undefined);
  const reached = (to: number) => quotaReached({ file: "/s/out.spool", from: 100, to }, 100);
  for (const [index, to] of [2_000, 3_000].entries()) {
    const event = { type: "LimitReached", data: reached(to) } as const;
    state = evolve(state, event, { run: "run_1", seq: index + 2, at: index });
    const recorded = { run: "run_1", seq: 2, at: 0, hash: "", prev: "", v: 1, ...event };
    assert.match(describeEvent(recorded), /output of an agent that is read \(100\): the agent has printed/);
  }
  const view = statusView(state, null);
  assert.deepEqual(view.reached, [reached(3_000)]);
  const [line = ""] = statusLines(view).filter((one) => one.includes("left out"));
  assert.match(line, /bytes 100 to 3000 of \/s\/out\.spool are kept there and were not read/);
});
