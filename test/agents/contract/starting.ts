import assert from "node:assert/strict";
import { receiveAll, kinds, numbers, progressOf, waitFor, type ContractTests } from "./scene.ts";
import { startElsewhere } from "./start-elsewhere.ts";

export const startingTests: ContractTests = {
  "A10 starting twice under one session key starts one agent": async (scene) => {
    const order = scene.order("works");
    const outcomes = await Promise.all([scene.driver.start(order), scene.driver.start(order)]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["started", "started"],
    );
    await receiveAll(scene.driver, order);
    assert.equal((await scene.driver.start(order)).kind, "started");
    assert.equal(scene.workDone(), 1);
  },

  "A10 two supervisors that start one session at once leave one agent": async (scene) => {
    const order = scene.order("hangs");
    const others = [1, 2, 3, 4].map(() => startElsewhere(scene, order));
    const outcomes = await Promise.all(others.map((other) => other.outcome()));
    for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
    assert.equal(outcomes[0]?.kind, "started");
    await waitFor(() => (scene.workDone() > 0 ? true : undefined));
    for (const other of others) await other.kill();
    assert.deepEqual(await scene.driver.end(order, 2_000), { kind: "ended" });
    assert.equal(scene.workDone(), 1);
  },

  "A10 a start killed just before or just after the spawn, and repeated, leaves one agent": async (scene) => {
    for (const [index, point] of ["session.spawn.before", "session.spawn.after"].entries()) {
      const order = scene.order("works", `run.works.${String(index + 1)}`);
      const killed = startElsewhere(scene, order, { HOLDFAST_CRASH_AT: `${point}#1` });
      assert.equal(await killed.outcome(), undefined, `killed at ${point}`);
      assert.equal((await scene.driver.start(order)).kind, "started");
      await receiveAll(scene.driver, order);
      assert.equal(scene.workDone(), index + 1);
    }
  },

  "A2 a session survives SIGKILL of its supervisor and is heard by the next without loss or doubling": async (
    scene,
  ) => {
    const order = scene.order("counts");
    const first = startElsewhere(scene, order);
    assert.equal((await first.outcome())?.kind, "started");
    const received: string[] = [];
    let cursor = "";
    while (received.length < 10) {
      const batch = await first.batch();
      assert.ok(batch !== undefined);
      received.push(...progressOf(batch.signals));
      cursor = batch.cursor;
    }
    await first.kill();
    assert.equal((await scene.driver.find(order)).kind, "alive");
    const rest = await receiveAll(scene.driver, order, cursor);
    assert.deepEqual([...received, ...progressOf(rest.signals)], numbers(60));
    assert.deepEqual(kinds(rest.signals).slice(-2), ["result", "exit"]);
  },

  "A2 closing a driver leaves its sessions at work": async (scene) => {
    const order = await scene.begin("counts");
    await scene.driver.close();
    const next = scene.open();
    assert.equal((await next.find(order)).kind, "alive");
    assert.deepEqual(progressOf((await receiveAll(next, order)).signals), numbers(60));
  },

  "A4 a session is found alive while it works and over afterwards": async (scene) => {
    assert.equal((await scene.driver.find(scene.order("counts"))).kind, "gone");
    const order = await scene.begin("counts");
    assert.equal((await scene.driver.find(order)).kind, "alive");
    await receiveAll(scene.driver, order);
    assert.equal((await scene.driver.find(order)).kind, "over");
  },

  "A1 an agent that does not exist is a final failure that names what is missing": async (scene) => {
    const outcome = await scene.driver.start(scene.order("missing"));
    assert.ok(outcome.kind === "failed" && outcome.terminal);
    assert.match(outcome.text, /"?missing"?.*expected/s);
  },

  "a session key cannot lead out of the folder of sessions": async (scene) => {
    for (const session of [
      "../../escape",
      "a/b",
      "..",
      "-rf",
      "$(touch canary)",
      "x".repeat(400),
      "naïve ; 'q\n",
    ]) {
      const order = scene.order("works", session);
      const outcome = await scene.driver.start(order);
      assert.equal(outcome.kind, "started", JSON.stringify(outcome));
      assert.equal((await receiveAll(scene.driver, order)).signals.at(-1)?.kind, "exit");
    }
    assert.equal(scene.workDone(), 7);
  },
};
