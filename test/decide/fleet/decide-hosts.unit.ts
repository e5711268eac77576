import assert from "node:assert/strict";
import { test } from "node:test";
import { decideHosts, newHostsMemory } from "../../../src/decide/fleet/decide-hosts.ts";
import type { LocksSeen } from "../../../src/model/host/host-locks.ts";

const LEASE = 10_000;

/** `s` holds the supervisor's lock, `w` its sibling's. */
const look = (at: number, locks: Readonly<Record<string, string>>, session = "one") => ({
  at,
  session,
  hosts: Object.entries(locks).map(([host, held]) => ({
    host,
    supervisor: held.includes("s"),
    watchdog: held.includes("w"),
  })),
});

/** Who is taken to be gone at each of the looks that follow each other. */
function watched(...looks: readonly (LocksSeen & { at: number })[]): readonly (readonly string[])[] {
  let memory = newHostsMemory();
  return looks.map(({ at, ...seen }) => {
    const decided = decideHosts(memory, seen, { now: at, own: "me", leaseMs: LEASE });
    memory = decided.memory;
    return decided.gone;
  });
}
const last = (...looks: readonly (LocksSeen & { at: number })[]): readonly string[] =>
  watched(...looks).at(-1) ?? [];
const both = look(0, { a: "sw", b: "sw", me: "sw" });

test("F2 a host with neither lock is gone once its agents are frozen; one whose sibling lives is not", () => {
  const gone = look(20_000, { a: "", b: "sw", me: "sw" });
  assert.deepEqual(watched(both, gone, { ...gone, at: 21_400 }, { ...gone, at: 21_500 }), [
    [],
    [],
    [],
    ["a"],
  ]);
  const half = look(20_000, { a: "w", b: "s", me: "" });
  assert.deepEqual(last(both, half, { ...half, at: 90_000 }), []);
});

test("F2 a host that holds a lock again is not gone, and is counted anew", () => {
  const gone = look(20_000, { a: "", b: "sw" });
  const back = look(22_000, { a: "s", b: "sw" });
  const again = look(23_000, { a: "", b: "sw" });
  assert.deepEqual(last(both, gone, back), []);
  assert.deepEqual(last(both, gone, back, again, { ...again, at: 24_000 }), []);
  assert.deepEqual(last(both, gone, back, again, { ...again, at: 24_500 }), ["a"]);
});

test("F2 only a lock that was seen to be held can be missing", () => {
  const never = look(0, { a: "", b: "sw" });
  assert.deepEqual(last(never, { ...never, at: 90_000 }), []);
});

test("F4 locks that a restart of the server or a failover took away are ignored for a lease, and count from what is held then", () => {
  const after = look(20_000, { a: "", b: "" }, "two");
  const late = { ...after, at: 90_000 };
  assert.deepEqual(watched(both, after, late), [[], [], []]);
  const returned = look(21_000, { a: "sw", b: "sw" }, "two");
  const gone = look(22_000, { a: "", b: "sw" }, "two");
  assert.deepEqual(watched(both, after, returned, gone, { ...gone, at: 29_999 }, { ...gone, at: 30_000 }), [
    [],
    [],
    [],
    [],
    [],
    ["a"],
  ]);
});

test("F3 where more than half of the other hosts go at once, none of them is taken to be gone for a lease", () => {
  const gone = look(20_000, { a: "", b: "" });
  assert.deepEqual(
    watched(both, gone, { ...gone, at: 22_000 }, { ...gone, at: 29_999 }, { ...gone, at: 30_000 }),
    [[], [], [], [], ["a", "b"]],
  );
  const three = look(0, { a: "sw", b: "sw", c: "sw", d: "sw" });
  const two = look(20_000, { a: "", b: "", c: "sw", d: "sw" });
  assert.deepEqual(last(three, two, { ...two, at: 22_000 }), ["a", "b"]);
});
