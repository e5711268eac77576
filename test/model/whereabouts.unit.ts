import assert from "node:assert/strict";
import { test } from "node:test";
import { hostKey, whereaboutsOf, type ProcessIdentity } from "../../src/model/world.ts";

const OUTSIDE = "pid:[4026531836]";
const SELF: ProcessIdentity = {
  host: "a",
  pid: 7,
  startedAt: "boot-1:70",
  space: OUTSIDE,
  machine: "m1",
};
const INSIDE = { ...SELF, space: "pid:[42]" };

test("A3 J4 a process says of another that it is gone only within its own boot and PID namespace", () => {
  const cases: readonly [string, ProcessIdentity, ProcessIdentity, ReturnType<typeof whereaboutsOf>][] = [
    ["the same namespace", SELF, { ...SELF, pid: 8 }, "here"],
    ["the same container", INSIDE, { ...INSIDE, pid: 1 }, "here"],
    ["another container with the same host name", INSIDE, { ...INSIDE, space: "pid:[43]" }, "elsewhere"],
    ["a container seen from outside", SELF, INSIDE, "elsewhere"],
    ["the same namespace under another host name", SELF, { ...SELF, host: "b" }, "here"],
    ["another host", SELF, { ...SELF, host: "b", machine: "m2", startedAt: "boot-9:70" }, "elsewhere"],
    ["another machine of this name", SELF, { ...SELF, machine: "m2", startedAt: "boot-9:1" }, "elsewhere"],
    ["a copy of this machine", SELF, { ...SELF, host: "b", startedAt: "boot-9:70" }, "elsewhere"],
    ["this machine before it was started again", SELF, { ...SELF, startedAt: "boot-0:70" }, "restarted"],
    ["another boot of an unnamed machine", SELF, { ...without(SELF), startedAt: "boot-0:1" }, "elsewhere"],
    ["another boot, of containers of one image", INSIDE, { ...INSIDE, startedAt: "boot-0:70" }, "elsewhere"],
    ["a namespace that nobody noted", SELF, { ...SELF, space: "" }, "elsewhere"],
    ["both namespaces unreadable", { ...SELF, space: "" }, { ...SELF, space: "" }, "elsewhere"],
    ["a start that could not be read", SELF, { ...SELF, startedAt: "unread-1" }, "elsewhere"],
    ["two such", { ...SELF, startedAt: "unread-1" }, { ...SELF, startedAt: "unread-2" }, "elsewhere"],
  ];
  for (const [title, self, other, expected] of cases)
    assert.equal(whereaboutsOf(self, other), expected, title);
});

test("A3 J4 where the system knows no namespaces, the host's name and machine are what counts", () => {
  const plain = { host: "a", pid: 7, startedAt: "Tue Nov 17 02:03:10 2026" };
  assert.equal(whereaboutsOf(plain, { ...plain, pid: 8 }), "here");
  assert.equal(whereaboutsOf(plain, { ...plain, host: "b" }), "elsewhere");
  assert.equal(whereaboutsOf({ ...plain, machine: "m1" }, { ...plain, machine: "m2" }), "elsewhere");
});

test("A2 J4 each container and each machine has a supervisor of its own, regardless of its host name", () => {
  const keys = [SELF, INSIDE, { ...INSIDE, space: "pid:[43]" }, { ...SELF, machine: "m2" }].map(hostKey);
  assert.deepEqual(keys, ["a~m1", "a~m1~42", "a~m1~43", "a~m2"]);
  assert.equal(hostKey({ ...SELF, startedAt: "boot-2:1" }), "a~m1");
  assert.equal(hostKey({ host: "a", pid: 1, startedAt: "x" }), "a");
});

function without({ machine: _, ...rest }: ProcessIdentity): ProcessIdentity {
  return rest;
}
