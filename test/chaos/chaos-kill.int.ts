import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { runProgram } from "../kill/killed-process.ts";

test(
  "J4 supervisors killed at random instants lose nothing and do nothing twice",
  { skip: restsToday(0, 3, "npm run chaos:kill") },
  async (t) => {
    const ended = await runProgram(
      join(import.meta.dirname, "chaos-kill.ts"),
      ["--times", "6", "--seed", "1"],
      {
        limitMs: 240_000,
      },
    );
    t.diagnostic(ended.output.trim().split("\n").at(-1) ?? "");
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /kills in \d+ runs: 0 violations/);
  },
);
