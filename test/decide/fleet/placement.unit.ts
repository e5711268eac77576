import assert from "node:assert/strict";
import { test } from "node:test";
import { mayTake, takenBy } from "../../../src/decide/fleet/placement.ts";

const host = { id: "host_a", name: "a", labels: ["gpu", "linux"] };

test("F1 a host may take a run that names it or nobody, and asks for no label that it lacks", () => {
  assert.equal(mayTake(undefined, host), true);
  assert.equal(mayTake({}, host), true);
  for (const named of ["a", "host_a"]) assert.equal(mayTake({ host: named }, host), true, named);
  assert.equal(mayTake({ host: "b" }, host), false);
  assert.equal(mayTake({ labels: ["gpu"] }, host), true);
  assert.equal(mayTake({ labels: ["gpu", "arm"] }, host), false);
  assert.equal(mayTake({ host: "a", labels: ["arm"] }, host), false);
  assert.equal(mayTake({ host: "b", labels: ["gpu"] }, host), false);
});

test("F1 a placement that cannot be read, or asks for what this version does not know, is left to other hosts", () => {
  const asked = ["{}", '{"labels":["gpu"]}', '{"host":"b"}', '{"zone":"eu"}', "{", "7", '{"labels":"gpu"}'];
  assert.deepEqual(takenBy(asked, host), ["{}", '{"labels":["gpu"]}']);
});
