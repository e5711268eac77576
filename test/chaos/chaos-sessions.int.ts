import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { runProgram } from "../kill/killed-process.ts";

test(
  "A3 A5 P2 misbehaving agents started and killed 40 times leave nothing behind, and no recycled pid is signalled",
  {
    skip:
      process.platform === "linux"
        ? restsToday(2, 3, "npm run chaos:sessions")
        : "descriptors and environments are read from /proc",
  },
  async (t) => {
    const program = join(import.meta.dirname, "chaos-sessions.ts");
    const words = ["--times", "40", "--seed", "1", "--recycled", "3"];
    const ended = await runProgram(program, words, { limitMs: 240_000 });
    for (const line of ended.output.trim().split("\n").slice(-2)) t.diagnostic(line);
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /40 cycles: 0 violations/);
  },
);
