import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const NO_MOUNT = 99;

interface Story {
  readonly name: string;
  readonly first: string;
  readonly left: readonly string[];
  readonly large: boolean;
  readonly status: string;
  readonly again: string;
  readonly whole: boolean;
  readonly after: readonly string[];
  readonly clean: string;
}

test("W5 W11 L7 an acceptance onto a full disk changes nothing, leaves nothing in .git, and takes all of it once there is room", (t) => {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-full-tree-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(path.join(root, "disk"));
  const program = path.join(import.meta.dirname, "full-disk-process.ts");
  const script = `mount -t tmpfs -o size=16m tmpfs "$ROOT/disk" || exit ${String(NO_MOUNT)}; exec "$NODE" "$PROGRAM" "$ROOT"`;
  const env = { ...process.env, ROOT: root, NODE: process.execPath, PROGRAM: program, NODE_TEST_CONTEXT: "" };
  const { status, stdout, stderr, error } = spawnSync("unshare", ["-m", "sh", "-c", script], {
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error !== undefined || status === NO_MOUNT || /unshare failed/.test(stderr))
    return t.skip("no disk may be mounted here (needs root and mount namespaces)");
  assert.equal(status, 0, stdout + stderr);
  const stories = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Story);
  assert.deepEqual(
    stories.map(({ name }) => name),
    ["little", "nothing"],
  );
  for (const { name, first, left, large, status: between, again, whole, after, clean } of stories) {
    assert.notEqual(first, "taken", name);
    assert.deepEqual({ left, large, between }, { left: [], large: false, between: "" }, `${name}: ${first}`);
    assert.deepEqual(
      { again, whole, after, clean },
      { again: "taken", whole: true, after: [], clean: "" },
      name,
    );
  }
});
