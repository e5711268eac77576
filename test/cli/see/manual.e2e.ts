import assert from "node:assert/strict";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(4);

const bench = new CliBench({ "holdfast.yaml": "supervisor: { idleExitMs: 300, scanMs: 100 }\n" });
after(() => bench.close());

test("A1 G5 a step for a person stands in the inbox with its task, and is done when the person says so", async () => {
  const asked = await bench.call(["run", "plug the cable in", "--agent", "manual", "--id", "byhand"]);
  assert.equal(asked.code, 3, asked.stdout + asked.stderr);
  const inbox = (await bench.call(["inbox"])).stdout;
  assert.match(inbox, /step work is for a person to do: plug the cable in/);
  assert.match(inbox, /holdfast approve byhand/);
  const approved = await bench.call(["approve", "byhand", "--note", "it is in port 3"]);
  assert.equal(approved.code, 0, approved.stderr);
  await bench.reaches("byhand", "completed");
  assert.equal((await bench.json(["status", "byhand"]))["result"], "it is in port 3");
});

test("A1 a step that a person cannot do has failed with their words, and can be asked for again", async () => {
  assert.equal((await bench.call(["run", "lift it", "--agent", "manual", "--id", "heavy"])).code, 3);
  const rejected = await bench.call(["reject", "heavy", "--note", "it is too heavy"]);
  assert.match(rejected.stdout, /the step has failed; `retry` asks for it again/);
  await bench.reaches("heavy", "failed");
  assert.match(String((await bench.json(["status", "heavy"]))["failure"]), /it is too heavy/);
  await bench.call(["retry", "heavy"]);
  await bench.reaches("heavy", "awaiting_approval");
  await bench.call(["approve", "heavy"]);
  await bench.reaches("heavy", "completed");
});

test("A5 cancelling a step for a person ends it", async () => {
  assert.equal((await bench.call(["run", "wait", "--agent", "manual", "--id", "idle"])).code, 3);
  await bench.call(["cancel", "idle"]);
  await bench.reaches("idle", "cancelled");
});
