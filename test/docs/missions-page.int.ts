import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AUTOPILOT_STOPS } from "../../src/model/mission/mission-events.ts";
import { REPOSITORY } from "./code-blocks.ts";

test("G15 docs/missions.md explains every reason by which an autopilot stops, and no other", () => {
  const page = readFileSync(path.join(REPOSITORY, "docs/missions.md"), "utf8");
  const section = page.split("## Why the autopilot stops")[1]?.split("\n## ")[0] ?? "";
  const named = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
  assert.deepEqual(named.sort(), [...AUTOPILOT_STOPS].sort());
});
