import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFindings, type ServerFacts } from "../../../src/model/host/server-facts.ts";

const fine: ServerFacts = {
  version: "15.1",
  settings: { fsync: "on", full_page_writes: "on", max_connections: "100" },
  isStandby: false,
  standbys: ["sync"],
  connections: 5,
  clock: { serverMs: 10_000, ownMs: 10_001, tookMs: 2 },
  isPooled: false,
};

const CASES: readonly (readonly [Partial<ServerFacts>, "warn" | "fail", RegExp])[] = [
  [{ isStandby: true }, "fail", /is a standby/],
  [{ isPooled: true }, "fail", /a pooler gives each transaction another session/],
  [{ settings: { ...fine.settings, fsync: "off" } }, "fail", /^fsync is off/],
  [{ settings: { ...fine.settings, full_page_writes: "off" } }, "fail", /^full_page_writes is off/],
  [{ clock: { serverMs: 15_000, ownMs: 10_001, tookMs: 2 } }, "warn", /5 s ahead of this host's/],
  [{ clock: { serverMs: 5_000, ownMs: 10_001, tookMs: 2 } }, "warn", /5 s behind this host's/],
  [{ connections: 81 }, "warn", /81 of 100 connections are open/],
  [{ standbys: [] }, "warn", /no standby follows the server/],
  [{ standbys: ["async", "async"] }, "warn", /follow without being waited for/],
];

test("O1 what of a database server's set-up loses work or stops hosts is named, with what to do", () => {
  assert.deepEqual(serverFindings(fine), []);
  assert.deepEqual(serverFindings({ ...fine, standbys: null }), []);
  assert.deepEqual(serverFindings({ ...fine, standbys: ["async", "quorum"] }), []);
  for (const [facts, state, text] of CASES) {
    const [found, ...more] = serverFindings({ ...fine, ...facts });
    assert.deepEqual([found?.state, more], [state, []]);
    assert.match(found?.text ?? "", text);
    assert.ok(found?.remedy);
  }
});
