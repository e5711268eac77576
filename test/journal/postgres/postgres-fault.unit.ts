import assert from "node:assert/strict";
import { test } from "node:test";
import { isAway } from "../../../src/journal/postgres/postgres-fault.ts";

test("a server that went between connecting and the first statement is away, not refusing", () => {
  assert.ok(isAway(new Error("Client has encountered a connection error and is not queryable")));
  assert.ok(isAway(new Error("Client was closed and is not queryable")));
  assert.ok(isAway(new Error("Connection terminated unexpectedly")));
  assert.ok(!isAway(new Error("password authentication failed")));
});
