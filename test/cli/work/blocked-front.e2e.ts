import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(3);

/** An agent that asks a person, and then only waits. */
const ASKS = JSON.stringify({
  attempts: [[{ do: "blocked", reason: "needs_human", text: "which port?" }, { do: "hang" }]],
});

function benchWith(t: TestContext, suspend: string): CliBench {
  const bench = new CliBench({
    "asks.json": ASKS,
    "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }\nstartup: { termGraceMs: 300 }\nsuspend: ${suspend}\n`,
  });
  t.after(() => bench.close());
  return bench;
}

const RUN = ["run", "it", "--agent", "demo:./asks.json", "--id", "asks"];

test("B1 B5 `run` in the foreground returns with 3 once the session of its blocked run is suspended, and nobody is left", async (t) => {
  const bench = benchWith(t, "{ waitMs: 200 }");
  const { code, stdout } = await bench.call(RUN);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /asks is blocked: which port\?/);
  assert.doesNotMatch(stdout, /supervisor was started/, "nothing is due");
});

test("B5 G2 Ctrl-C ends `run` while its run is blocked and its session lives on, which a background supervisor keeps", async (t) => {
  const bench = benchWith(t, "{ waitMs: 600000 }");
  const process = bench.start(RUN);
  await process.prints("which port?");
  process.child.kill("SIGINT");
  const { code, stdout } = await process.ended;
  assert.equal(code, 130, stdout);
  assert.match(stdout, /leaving: asks is blocked/);
  assert.match(stdout, /its sessions and deadlines are kept: a supervisor was started in the background/);
  const { owner } = await bench.json<{ owner: { pid: number } | null }>(["status", "asks"]);
  assert.notEqual(owner, null);
});
