import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const SOURCE = path.join(import.meta.dirname, "..", "..", "src");
const STATIC = /^(?:import|export) (?!type\b)(?:[^;]*? from )?"(\.[^"]+)";/gm;

/** Everything that is loaded with a module, before anything is called. */
function loadedWith(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, to = ""] of readFileSync(file, "utf8").matchAll(STATIC))
    loadedWith(path.resolve(path.dirname(file), to), found);
  return found;
}

test("J4 a program that imports the library does not load agents, workspaces and their supervision", () => {
  const loaded = [...loadedWith(path.join(SOURCE, "index.ts"))].map((file) => path.relative(SOURCE, file));
  assert.ok(loaded.includes("loop/holdfast.ts"));
  assert.deepEqual(
    loaded.filter((file) =>
      /^(agents\/[^/]+|workspace|quality|notify|cli\/commands)\/|^(main|runtime\/supervisor)\.ts$/.test(file),
    ),
    [],
  );
});
