import assert from "node:assert/strict";
import { asInstructed } from "../as-instructed.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { delay, receiveAll, kinds, numbers, progressOf, waitFor, type ContractTests } from "./scene.ts";

const exitOf = (signals: readonly Signal[]): Signal | undefined => signals.at(-1);

export const listeningTests: ContractTests = {
  "A7 a session is told in signals of one shape, from ready to exit": async (scene) => {
    const order = await scene.begin("works");
    const { signals } = await receiveAll(scene.driver, order);
    assert.equal(signals[0]?.kind, "ready");
    assert.deepEqual(kinds(signals).slice(-2), ["result", "exit"]);
    const call = signals.find((signal) => signal.kind === "tool_call");
    const result = signals.find((signal) => signal.kind === "tool_result");
    assert.ok(call?.argsDigest !== undefined && result?.textDigest !== undefined);
    assert.equal(call.callId, result.callId);
    assert.deepEqual(exitOf(signals), { kind: "exit", how: "code", code: 0 });
  },

  "A2 listening again from any cursor yields exactly what came after it": async (scene) => {
    const order = await scene.begin("counts");
    const { signals, cursors } = await receiveAll(scene.driver, order);
    assert.deepEqual(progressOf(signals), numbers(60));
    assert.ok(cursors.length > 5, "the session was told in several batches");
    for (const { cursor, count } of [{ cursor: "", count: 0 }, ...cursors.slice(0, -1)])
      assert.deepEqual((await receiveAll(scene.driver, order, cursor)).signals, signals.slice(count));
  },

  "A2 listening again after the exit yields the exit again": async (scene) => {
    const order = await scene.begin("works");
    const { signals, cursors } = await receiveAll(scene.driver, order);
    const again = await receiveAll(scene.driver, order, cursors.at(-1)?.cursor);
    assert.deepEqual(again.signals, [exitOf(signals)]);
    assert.equal(again.cursors[0]?.cursor, cursors.at(-1)?.cursor);
  },

  "A2 a listener that takes its time is waited for, and loses nothing": async (scene) => {
    const order = await scene.begin("babbles");
    const received: string[] = [];
    let hearing = 0;
    let over = false;
    scene.driver.listen(order, "", async ({ signals }) => {
      hearing += 1;
      assert.equal(hearing, 1, "one batch at a time");
      await delay(15);
      received.push(...progressOf(signals));
      over = signals.at(-1)?.kind === "exit";
      hearing -= 1;
    });
    assert.equal(await waitFor(() => (over ? true : undefined), 15_000), true);
    assert.deepEqual(received, numbers(3_000));
  },

  "A2 a listener that fails hears no more, and the next one goes on from the last cursor": async (scene) => {
    const order = await scene.begin("counts");
    const received: string[] = [];
    let cursor = "";
    let calls = 0;
    scene.driver.listen(order, "", async (batch) => {
      calls += 1;
      if (calls > 2) throw new Error("the store is full");
      received.push(...progressOf(batch.signals));
      cursor = batch.cursor;
    });
    await waitFor(() => (calls > 2 ? true : undefined));
    const rest = await receiveAll(scene.driver, order, cursor);
    assert.deepEqual([...received, ...progressOf(rest.signals)], numbers(60));
    assert.equal(calls, 3);
  },

  "a closed listener hears nothing more": async (scene) => {
    const order = await scene.begin("counts");
    let calls = 0;
    const listener = scene.driver.listen(order, "", async () => {
      calls += 1;
      if (calls === 2) listener.close();
    });
    await receiveAll(scene.driver, order);
    assert.equal(calls, 2);
  },

  "A7 what is not understood is kept as unknown and is never an error": async (scene) => {
    const order = await scene.begin("garbage");
    const { signals } = await receiveAll(scene.driver, order);
    const reported = signals.filter((signal) => signal.kind === "message" || signal.kind === "unknown");
    assert.equal(reported[0]?.text, "before");
    assert.equal(reported.at(-1)?.text, "after");
    assert.ok(reported.length > 4);
    for (const signal of reported.slice(1, -1)) assert.equal(signal.kind, "unknown");
    assert.equal(signals.filter((signal) => signal.kind === "exit").length, 1);
    assert.deepEqual(exitOf(signals), { kind: "exit", how: "code", code: 0 });
  },

  "A7 half a line is waited for, and told as unknown if the agent exits on it": async (scene) => {
    const order = await scene.begin("half");
    const received = await receiveAll(scene.driver, order);
    const signals = received.signals.filter(({ kind }) => kind !== "conversation");
    assert.deepEqual(asInstructed(signals.slice(1, 3)), [
      { kind: "message", from: "agent", text: "whole" },
      { kind: "unknown", text: '{"kind":"message"' },
    ]);
    assert.deepEqual(kinds(signals), ["ready", "message", "unknown", "exit"]);
  },

  "A5 an exit without evidence of success carries no result": async (scene) => {
    const order = await scene.begin("silent");
    const { signals } = await receiveAll(scene.driver, order);
    assert.deepEqual(exitOf(signals), { kind: "exit", how: "code", code: 0 });
    assert.ok(!kinds(signals).includes("result"));
  },

  "A7 a failure is told as an error and an exit with 1": async (scene) => {
    const order = await scene.begin("fails");
    const { signals } = await receiveAll(scene.driver, order);
    assert.deepEqual(kinds(signals).slice(-2), ["error", "exit"]);
    assert.deepEqual(exitOf(signals), { kind: "exit", how: "code", code: 1 });
  },

  "A7 an exit tells the code or the signal it came by": async (scene) => {
    const exits = await scene.begin("exits-3");
    assert.deepEqual(exitOf((await receiveAll(scene.driver, exits)).signals), {
      kind: "exit",
      how: "code",
      code: 3,
    });
    const crashes = await scene.begin("crashes");
    assert.deepEqual(exitOf((await receiveAll(scene.driver, crashes)).signals), {
      kind: "exit",
      how: "signal",
      signal: "SIGSEGV",
    });
  },

  "A4 an agent that went without a word is told as vanished, never as a success": async (scene) => {
    const order = await scene.begin("hangs");
    await waitFor(() => (scene.workDone() > 0 ? true : undefined));
    assert.ok(scene.subject.vanish !== undefined);
    await scene.subject.vanish(scene.folder, order.session);
    const { signals } = await receiveAll(scene.driver, order);
    assert.deepEqual(exitOf(signals), { kind: "exit", how: "vanished" });
    assert.ok(!kinds(signals).includes("result"));
    assert.equal((await scene.driver.find(order)).kind, "gone");
  },
};
