import assert from "node:assert/strict";
import { test } from "node:test";
import { placementOf } from "../../../src/cli/run/placement-of.ts";

const fleet = { isFleet: true };

test("F1 --on and --labels say which hosts may work a run, its labels in order and each once", () => {
  assert.deepEqual(placementOf(fleet, {}), {});
  assert.deepEqual(placementOf(fleet, { on: "two", labels: "linux, gpu,linux", detach: true }), {
    placement: { host: "two", labels: ["gpu", "linux"] },
  });
});

test("P4 what cannot choose a host is refused with what is expected", () => {
  assert.throws(() => placementOf({ isFleet: false }, { on: "two", detach: true }), /--on .*PostgreSQL/);
  assert.throws(() => placementOf(fleet, { labels: "gpu" }), /add --detach/);
  assert.throws(() => placementOf(fleet, { on: "", detach: true }), /names no host/);
  for (const labels of [
    "",
    "g p u",
    "x".repeat(41),
    Array.from({ length: 17 }, (_, n) => `l${String(n)}`).join(),
  ])
    assert.throws(
      () => placementOf(fleet, { labels, detach: true }),
      /is no list of labels; expected/,
      labels,
    );
});
