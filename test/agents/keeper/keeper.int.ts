import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { exitOfStatus } from "../../../src/agents/keeper/exit-of-status.ts";
import { readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { livenessOf } from "../../../src/agents/process-identity.ts";
import { subject } from "../contract/demo-subject.ts";
import { receiveAll, processesOf, progressOf, numbers, Scene, waitFor } from "../contract/scene.ts";

async function inScene(play: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = new Scene(subject);
  try {
    await play(scene);
  } finally {
    await scene.strike();
  }
}

const folderOf = (scene: Scene, session: string) =>
  sessionFolder(path.join(scene.folder, "sessions"), session);

function keeperOf(scene: Scene, session: string) {
  const reading = readIdentity(folderOf(scene, session));
  assert.ok(reading.kind === "keeper");
  return reading.keeper;
}

test("A3 a keeper writes its own identity as every other process would read it", () =>
  inScene(async (scene) => {
    const order = await scene.begin("hangs");
    assert.equal(livenessOf(keeperOf(scene, order.session)), "alive");
    assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
  }));

test("a keeper weighs at most 3 MB beyond its agent", { skip: process.platform !== "linux" }, () =>
  inScene(async (scene) => {
    const order = await scene.begin("hangs");
    const status = readFileSync(`/proc/${String(keeperOf(scene, order.session).pid)}/status`, "utf8");
    const residentKb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
    assert.ok(residentKb > 0 && residentKb <= 3 * 1024, `${String(residentKb)} kB`);
    assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
  }),
);

test("A4 an agent whose keeper was killed is alive, is read to its end, and has vanished then", () =>
  inScene(async (scene) => {
    const order = await scene.begin("counts");
    const { out } = folderOf(scene, order.session);
    await waitFor(() => (readFileSync(out, "utf8").includes('"3"') ? true : undefined));
    const hearing = receiveAll(scene.driver, order);
    process.kill(keeperOf(scene, order.session).pid, "SIGKILL");
    await waitFor(() => (livenessOf(keeperOf(scene, order.session)) === "gone" ? true : undefined));
    assert.equal((await scene.driver.find(order)).kind, "alive");
    const { signals } = await hearing;
    assert.deepEqual(progressOf(signals), numbers(60));
    assert.deepEqual(signals.at(-1), { kind: "exit", how: "vanished" });
  }));

test("A5 an agent whose keeper was killed is ended all the same", () =>
  inScene(async (scene) => {
    const order = await scene.begin("family");
    await waitFor(() => (scene.workDone() > 0 ? true : undefined));
    process.kill(keeperOf(scene, order.session).pid, "SIGKILL");
    assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
    assert.deepEqual(processesOf(scene.folder), []);
  }));

test("A5 a stopped keeper does not keep a session from ending", () =>
  inScene(async (scene) => {
    const order = await scene.begin("hangs");
    await waitFor(() => (scene.workDone() > 0 ? true : undefined));
    process.kill(keeperOf(scene, order.session).pid, "SIGSTOP");
    assert.deepEqual(await scene.driver.end(order, 300), { kind: "ended" });
    assert.deepEqual(processesOf(scene.folder), []);
  }));

test("A4 a record that cannot be read makes a session unknown, neither dead nor ended", () =>
  inScene(async (scene) => {
    const order = await scene.begin("hangs");
    const { identity } = folderOf(scene, order.session);
    const kept = readFileSync(identity, "utf8");
    const keeper = keeperOf(scene, order.session);
    writeFileSync(identity, '{"pid":');
    assert.equal((await scene.driver.find(order)).kind, "unknown");
    assert.equal((await scene.driver.end(order, 300)).kind, "failed");
    assert.equal((await scene.driver.start(order)).kind, "failed");
    // A kernel is one host, no matter what it is called: another host has started at another time.
    const elsewhere = { ...keeper, host: "elsewhere", startedAt: `${randomUUID()}:1` };
    writeFileSync(identity, JSON.stringify(elsewhere));
    assert.equal((await scene.driver.find(order)).kind, "unknown");
    const refused = await scene.driver.end(order, 300);
    assert.ok(refused.kind === "failed" && /elsewhere/.test(refused.text));
    writeFileSync(identity, kept);
    assert.deepEqual(await scene.driver.end(order, 300), { kind: "ended" });
  }));

test("A4 a session whose folder was removed has vanished", () =>
  inScene(async (scene) => {
    const order = await scene.begin("works");
    await receiveAll(scene.driver, order);
    rmSync(folderOf(scene, order.session).folder, { recursive: true });
    assert.equal((await scene.driver.find(order)).kind, "gone");
    assert.deepEqual((await receiveAll(scene.driver, order, "12")).signals, [
      { kind: "exit", how: "vanished" },
    ]);
  }));

test("a session leaves its record and nothing else, readable to its owner only", () =>
  inScene(async (scene) => {
    const order = await scene.begin("works");
    await Promise.all([scene.driver.start(order), scene.driver.start(order)]);
    await receiveAll(scene.driver, order);
    const { folder } = folderOf(scene, order.session);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(folder).sort(), [
      "err.spool",
      "exit",
      "identity",
      "order.json",
      "out.spool",
      "quota",
    ]);
  }));

test("A7 a status above 128 is a signal where there is one of that number, and a code otherwise", () => {
  assert.deepEqual(exitOfStatus(137), { kind: "exit", how: "signal", signal: "SIGKILL" });
  assert.deepEqual(exitOfStatus(0), { kind: "exit", how: "code", code: 0 });
  assert.deepEqual(exitOfStatus(128), { kind: "exit", how: "code", code: 128 });
  assert.deepEqual(exitOfStatus(255), { kind: "exit", how: "code", code: 255 });
  assert.deepEqual(exitOfStatus(145), { kind: "exit", how: "code", code: 145 });
});
