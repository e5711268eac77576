import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { manualDriver } from "../../../src/agents/manual/manual-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { receiveAll, kinds } from "../contract/scene.ts";

function open(t: TestContext): { readonly driver: () => AgentDriver; readonly folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-manual-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, driver: () => manualDriver({ world: realWorld(), folder }) };
}

const ORDER: StartOrder = {
  session: "run.work.1",
  spec: { use: "manual" },
  run: "run",
  step: "work",
  attempt: "work#1",
  number: 1,
  task: "plug the cable in",
  cwd: "/",
};
const YES = { key: "a", askId: "work", allow: true, note: "it is in" };

test("A1 A2 a person is asked by one supervisor and answers to the next, which reads on from any cursor", async (t) => {
  const { driver } = open(t);
  const first = driver();
  assert.equal((await first.find(ORDER)).kind, "gone");
  assert.equal((await first.start(ORDER)).kind, "started");
  assert.equal((await first.find(ORDER)).kind, "alive");
  await first.close();
  const next = driver();
  assert.equal((await next.find(ORDER)).kind, "alive");
  assert.equal((await next.answer(ORDER, YES)).kind, "sent");
  assert.equal((await next.find(ORDER)).kind, "over");
  const { signals } = await receiveAll(next, ORDER);
  assert.deepEqual(signals, [
    { kind: "ready" },
    { kind: "permission", askId: "work", what: "plug the cable in" },
    { kind: "result", ok: true, text: "it is in", value: "it is in" },
    { kind: "exit", how: "code", code: 0 },
  ]);
  for (const received of [1, 2, 3])
    assert.deepEqual((await receiveAll(next, ORDER, String(received))).signals, signals.slice(received));
  await next.close();
});

test("A9 the first answer counts: the same again is taken, another is refused, and none after the end", async (t) => {
  const { driver, folder } = open(t);
  const one = driver();
  await one.start(ORDER);
  assert.equal((await one.answer(ORDER, YES)).kind, "sent");
  assert.equal((await one.answer(ORDER, YES)).kind, "sent");
  const other = await one.answer(ORDER, { ...YES, allow: false });
  assert.ok(other.kind === "failed" && other.terminal && /done already/.test(other.text));
  const ended = { ...ORDER, session: "run.work.2" };
  await one.start(ended);
  assert.deepEqual(await one.end(ended, 1), { kind: "ended" });
  assert.ok((await one.answer(ended, YES)).kind === "failed");
  assert.deepEqual(kinds((await receiveAll(one, ended)).signals), ["ready", "permission", "exit"]);
  assert.deepEqual(readdirSync(path.join(folder, "run.work.2")).sort(), ["order.json", "settled.json"]);
  await one.close();
});

test("A1 a listener receives what is asked at once, and the answer when it comes", async (t) => {
  const one = open(t).driver();
  await one.start(ORDER);
  const batches: string[][] = [];
  let over = (): void => undefined;
  const exit = new Promise<void>((resolve) => (over = resolve));
  one.listen(ORDER, "", async ({ signals }) => {
    batches.push(kinds(signals));
    if (batches.length === 1) await one.answer(ORDER, { ...YES, allow: false, note: "no cable" });
    else over();
  });
  await exit;
  assert.deepEqual(batches, [
    ["ready", "permission"],
    ["error", "exit"],
  ]);
  await one.close();
});
