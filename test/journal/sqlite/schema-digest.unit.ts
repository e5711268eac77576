import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { schemaDigest } from "../../../src/journal/sqlite/connection.ts";
import {
  defineMigrationFunctions,
  MIGRATIONS,
  SCHEMA_DIGEST,
} from "../../../src/journal/sqlite/migrations.ts";

test("J2 the digest by which a store's tables are checked is that of its migrations", () => {
  const db = new DatabaseSync(":memory:");
  defineMigrationFunctions(db);
  for (const step of MIGRATIONS) db.exec(step);
  assert.equal(schemaDigest(db), SCHEMA_DIGEST);
  db.close();
});
