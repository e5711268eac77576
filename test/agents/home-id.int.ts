import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { homeHost } from "../../src/agents/home-id.ts";

const root = mkdtempSync(path.join(tmpdir(), "holdfast-home-id-"));
after(() => rmSync(root, { recursive: true, force: true }));
let drawn = 0;
const world = { id: (prefix: string) => `${prefix}_${String((drawn += 1))}` };

test("F1 a host keeps its id with its state folder, and has another one in another folder", () => {
  const folder = path.join(root, "deep", "home");
  const first = homeHost(folder, world)();
  assert.equal(first.name, hostname());
  assert.deepEqual(homeHost(folder, world)(), first);
  const file = path.join(folder, "host-id");
  assert.equal(readFileSync(file, "utf8"), `${first.id}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.notEqual(homeHost(path.join(root, "other"), world)().id, first.id);
});

test("F1 no file is made before the id is asked for, and one that is broken is replaced", () => {
  const folder = path.join(root, "broken");
  const ask = homeHost(folder, world);
  assert.throws(() => statSync(folder), /ENOENT/);
  const { id } = ask();
  writeFileSync(path.join(folder, "host-id"), "not an id\n");
  const other = homeHost(folder, world)().id;
  assert.notEqual(other, id);
  assert.equal(homeHost(folder, world)().id, other);
});
