import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readDestructions, straceArguments } from "./watched-calls.ts";
import { straceWorks } from "./watched-life.ts";

test("W11 the watch sees files removed, replaced, emptied and written in place, wherever the process stands", (t) => {
  if (!straceWorks()) {
    t.skip("strace is missing or not allowed here");
    return;
  }
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-calls-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = [
    "mkdir sub; for n in a b c d e 'odd\nname'; do echo x > \"sub/$n\"; done",
    "cd sub; rm a; mv b c; : > d; (cd ..; rm 'sub/odd\nname'); dd if=/dev/null of=e conv=notrunc 2>/dev/null",
  ].join("\n");
  const log = path.join(folder, "log");
  const done = spawnSync("strace", [...straceArguments(log), "sh", "-c", script], { cwd: folder });
  assert.equal(done.status, 0);
  const seen = new Set(
    readDestructions(log, folder).map(({ path: at }) => path.relative(path.join(folder, "sub"), at)),
  );
  for (const name of ["a", "b", "c", "d", "e", "odd\nname"]) assert.ok(seen.has(name), JSON.stringify(name));
});
