/** The core of `npm run first-hour`, which plays all of its scenes with the package installed from the registry. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { differences, playScenes } from "./play-scenes.ts";
import { SCENES } from "./scenes.ts";

test("O1 O6 in a real terminal a new user comes from a clone with a failing test to accepted work, line by line as reviewed", async () => {
  const core = SCENES.filter(({ name }) => name === "mend");
  for await (const { scene, text } of playScenes(core, { install: "links" })) {
    const golden = readFileSync(path.join(import.meta.dirname, "golden", `${scene.name}.txt`), "utf8");
    assert.deepEqual(
      differences(golden, text),
      [],
      "read each line as a new user would; then npm run first-hour -- --accept",
    );
  }
});
