import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { delay, receiveAll, processesOf, waitFor, type Scene, type ContractTests } from "./scene.ts";
import type { Part } from "./subject.ts";

const ENDED = { kind: "ended" } as const;

/** Begins a part and waits until it is at what it is there for. */
async function atWork(scene: Scene, part: Part): ReturnType<Scene["begin"]> {
  const order = await scene.begin(part);
  assert.equal(await waitFor(() => (scene.workDone() > 0 ? true : undefined)), true);
  return order;
}

export const endingTests: ContractTests = {
  "A5 a session is ended politely, within its grace": async (scene) => {
    const order = await atWork(scene, "hangs");
    const startedMs = performance.now();
    assert.deepEqual(await scene.driver.end(order, 10_000), ENDED);
    assert.ok(performance.now() - startedMs < 5_000, "it did not wait for the grace to pass");
    assert.deepEqual(processesOf(scene.folder), []);
    assert.equal((await scene.driver.find(order)).kind, "over");
    const exit = (await receiveAll(scene.driver, order)).signals.at(-1);
    assert.ok(exit?.kind === "exit" && exit.how === "signal");
  },

  "A5 an agent deaf to polite ends is ended firmly after its grace": async (scene) => {
    const order = await atWork(scene, "deaf");
    const startedMs = performance.now();
    assert.deepEqual(await scene.driver.end(order, 600), ENDED);
    assert.ok(performance.now() - startedMs >= 590, "it had its grace");
    assert.deepEqual(processesOf(scene.folder), []);
    const exit = (await receiveAll(scene.driver, order)).signals.at(-1);
    assert.ok(exit?.kind === "exit" && exit.how === "signal");
  },

  "A5 children end with their agent, in its group or in a session of their own": async (scene) => {
    const order = await atWork(scene, "family");
    assert.ok(processesOf(scene.folder).length >= 4, "a keeper, an agent and two children");
    assert.deepEqual(await scene.driver.end(order, 2_000), ENDED);
    assert.deepEqual(processesOf(scene.folder), []);
  },

  "A5 ending a session whose agent exited ends what it left behind": async (scene) => {
    const order = await atWork(scene, "orphans");
    await receiveAll(scene.driver, order);
    assert.equal((await scene.driver.find(order)).kind, "over");
    assert.equal(processesOf(scene.folder).length, 2);
    assert.deepEqual(await scene.driver.end(order, 2_000), ENDED);
    assert.deepEqual(processesOf(scene.folder), []);
  },

  "A5 a session that is over, or never began, counts as ended": async (scene) => {
    assert.deepEqual(await scene.driver.end(scene.order("hangs", "run.never.1"), 1_000), ENDED);
    const order = await scene.begin("works");
    await receiveAll(scene.driver, order);
    assert.deepEqual(await scene.driver.end(order, 1_000), ENDED);
    assert.deepEqual(await scene.driver.end(order, 1_000), ENDED);
  },

  "A5 an end that races with the start leaves no agent behind": async (scene) => {
    for (let round = 0; round < 12; round += 1) {
      const order = scene.order("hangs", `run.race.${String(round)}`);
      const starting = scene.driver.start(order);
      await delay(round * 2);
      assert.deepEqual(await scene.driver.end(order, 1_000), ENDED);
      await starting;
      assert.deepEqual(processesOf(scene.folder), [], `round ${String(round)}`);
      assert.match((await scene.driver.find(order)).kind, /^(over|gone)$/);
    }
  },

  "A5 a session that was ended before it began does not begin afterwards": async (scene) => {
    const order = scene.order("works");
    await scene.driver.end(order, 1_000);
    const outcome = await scene.driver.start(order);
    assert.ok(outcome.kind === "failed" && /ended before/.test(outcome.text));
    assert.equal(scene.workDone(), 0);
  },

  "A3 a process that got the pid of an agent is never signalled, nor taken for it": async (scene) => {
    const innocent = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
    // Start times are distinguished by ticks of 10 ms, and the two must not share one.
    await delay(50);
    const order = await atWork(scene, "hangs");
    assert.ok(
      scene.subject.vanish !== undefined && scene.subject.forge !== undefined && innocent.pid !== undefined,
    );
    await scene.subject.vanish(scene.folder, order.session);
    scene.subject.forge(scene.folder, order.session, innocent.pid);
    assert.equal((await scene.driver.find(order)).kind, "gone");
    assert.deepEqual(await scene.driver.end(order, 300), ENDED);
    assert.deepEqual((await receiveAll(scene.driver, order)).signals.at(-1), {
      kind: "exit",
      how: "vanished",
    });
    assert.deepEqual(processesOf(scene.folder), [innocent.pid]);
    innocent.kill("SIGKILL");
    await once(innocent, "exit");
  },
};
