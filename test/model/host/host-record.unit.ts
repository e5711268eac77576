import assert from "node:assert/strict";
import { test } from "node:test";
import { drainOf, hostState, type HostFacts, type HostRecord } from "../../../src/model/host/host-record.ts";
import { hostRow, hostView } from "../../../src/views/fleet/host-view.ts";

const record = (facts: Partial<HostFacts>, more: Partial<HostRecord> = {}): HostRecord => ({
  facts: {
    ...{ id: "host_a", name: "a", boot: "", version: "0.1.0", slots: 8, agents: [], leaseMs: 10_000 },
    ...{ freeMemoryBytes: 0, freeDiskBytes: null, phase: "up", draining: false, ...facts },
  },
  ...{ drainedBy: null, joinedAt: 0, beats: 1, silentMs: 0, ...more },
});

const seen = (one: HostRecord): unknown => [hostState(one), drainOf(one), hostRow(hostView(one, 0))[1]];

test("F1 a host drains once it has received that it is to, and takes runs until it has received that it is not", () => {
  const drainedBy = "ada";
  assert.deepEqual(seen(record({})), ["up", null, "up"]);
  assert.deepEqual(seen(record({}, { drainedBy })), ["up", "requested", "up (drain requested by ada)"]);
  assert.deepEqual(seen(record({ draining: true }, { drainedBy })), [
    "draining",
    "received",
    "draining (ada)",
  ]);
  assert.deepEqual(seen(record({ draining: true })), ["draining", null, "draining"]);
  // An earlier version does not say what it has received.
  assert.deepEqual(seen(record({ draining: undefined }, { drainedBy })), [
    "draining",
    "received",
    "draining (ada)",
  ]);
  assert.equal(hostState(record({ draining: true }, { drainedBy, silentMs: 10_001 })), "down");
});
