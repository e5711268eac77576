import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";

const dist = path.resolve(import.meta.dirname, "../../dist");

test("J3 the built programs read and write snapshots by the same version of the fold as the source", () => {
  const programs = readdirSync(dist).filter((file) => file.endsWith(".js"));
  const holding = programs.filter((file) =>
    readFileSync(path.join(dist, file), "utf8").includes(FOLD_VERSION),
  );
  assert.ok(holding.length > 0, `none of ${programs.join(", ")} holds ${FOLD_VERSION}`);
  const others = new Set(
    holding.flatMap((file) =>
      [...readFileSync(path.join(dist, file), "utf8").matchAll(/FOLD_VERSION\s*=\s*"([0-9a-f]+)"/g)].map(
        ([, found]) => found,
      ),
    ),
  );
  assert.ok([...others].every((found) => found === FOLD_VERSION));
});
