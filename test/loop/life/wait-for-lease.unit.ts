import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { takeLease, type Waiting } from "../../../src/loop/life/wait-for-lease.ts";
import { Fault, isFault } from "../../../src/model/fault.ts";
import type { World } from "../../../src/model/world.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { quietWorld } from "../../journal/contract/scene.ts";

const LEASE_MS = 30_000;

/** Two processes of different hosts on one store; a timer moves the time to its end at once. */
function twoHosts() {
  const disk = memoryDisk();
  const time = { ms: 0 };
  const process = (host: string) => {
    const timer: World["timer"] = (delayMs, fire) => {
      time.ms += delayMs;
      setImmediate(fire);
      return () => undefined;
    };
    const steady = (): { clock: string; ms: number } => ({ clock: host, ms: time.ms });
    const world: World = {
      ...quietWorld(),
      self: { host, pid: 7, startedAt: "1" },
      id: () => host,
      timer,
      steady,
    };
    return { world, leases: new Leases(memoryJournal({ world, disk }), world, LEASE_MS) };
  };
  return { time, here: process("here"), there: process("there") };
}

const order = { id: "run_a", closed: () => null };

test("A2 J1 a run that another process holds is waited for, who holds it is reported, and a silent holder loses it", async () => {
  const { time, here, there } = twoHosts();
  await there.leases.take("run_a");
  const reported: Waiting[] = [];
  assert.equal(await takeLease(here, { ...order, onWaiting: (waiting) => reported.push(waiting) }), 2);
  assert.ok(time.ms >= LEASE_MS && time.ms <= LEASE_MS + 2_000, `taken after ${String(time.ms)} ms`);
  assert.deepEqual(
    reported.map(({ silentMs }) => silentMs),
    [0, 5_000, 10_000, 15_000, 20_000, 25_000],
  );
  assert.deepEqual(reported[1]?.holder, { host: "there", pid: 7 });
  assert.match(
    String(reported[1]?.text),
    /^run_a is at work in process 7 on there .* for 5 s; .* silent for 30 s$/,
  );
});

test("A2 J1 a run that is let go is taken at the next look", async () => {
  const { time, here, there } = twoHosts();
  await there.leases.take("run_a");
  const onWaiting = (): void => void there.leases.release("run_a", 1);
  assert.equal(await takeLease(here, { ...order, onWaiting }), 2);
  assert.equal(time.ms, 1_000);
});

test("A2 J1 the wait for a run ends with its signal, with the store, or is refused at once", async () => {
  const { here, there } = twoHosts();
  await there.leases.take("run_a");
  const stop = new AbortController();
  const onWaiting = (): void => stop.abort(new Error("enough"));
  await assert.rejects(takeLease(here, { ...order, signal: stop.signal, onWaiting }), /^Error: enough$/);
  const closed = new Fault("closed", "the store was closed");
  await assert.rejects(takeLease(here, { ...order, closed: () => closed }), closed);
  const refused = await takeLease(here, { ...order, ifHeld: "refuse" }).catch((error: unknown) => error);
  assert.ok(isFault(refused, "refused") && /process 7 on there/.test(refused.message));
});

test("A2 J1 a store that another process holds is waited for too, and the wait says who it is", async () => {
  const { here } = twoHosts();
  const reported: string[] = [];
  let tries = 0;
  const take = here.leases.take.bind(here.leases);
  here.leases.take = (address) => {
    tries += 1;
    return tries < 3
      ? Promise.reject(new Fault("store_busy", "process 41 (node app.js) holds the store's lock"))
      : take(address);
  };
  assert.equal(await takeLease(here, { ...order, onWaiting: ({ text }) => reported.push(text) }), 1);
  assert.deepEqual(reported, ["process 41 (node app.js) holds the store's lock"]);
});
