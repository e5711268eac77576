import assert from "node:assert/strict";
import { test } from "node:test";
import { asOfFleet, hostConfigSchema } from "../../../src/model/settings/host-config.ts";

const leaseMs = (value: unknown): number => hostConfigSchema.parse(asOfFleet(value)).lease.ms;

test("F2 where hosts share the store the lease is 10 s, and what the user has set wins", () => {
  assert.equal(hostConfigSchema.parse({}).lease.ms, 30_000);
  assert.deepEqual([leaseMs({}), leaseMs({ lease: {} }), leaseMs({ limits: {} })], [10_000, 10_000, 10_000]);
  assert.deepEqual([leaseMs({ lease: { ms: 30_000 } }), leaseMs({ lease: { ms: 2_000 } })], [30_000, 2_000]);
});

test("P4 what is no configuration is left to be refused by name", () => {
  for (const value of [null, "lease", [], { lease: 3 }])
    assert.equal(hostConfigSchema.safeParse(asOfFleet(value)).success, false);
});
