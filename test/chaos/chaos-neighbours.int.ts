import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { runProgram } from "../kill/killed-process.ts";

test(
  "L7 P2 P4 good runs beside bad ones of many kinds, on one supervisor, end as if they were alone",
  { skip: restsToday(1, 3, "npm run chaos:neighbours") },
  async (t) => {
    const words = ["--bad", "10", "--good", "3", "--think", "300", "--no-time"];
    const program = path.join(import.meta.dirname, "chaos-neighbours.ts");
    const ended = await runProgram(program, words, { limitMs: 240_000 });
    t.diagnostic(ended.output.trim().split("\n").at(-1) ?? "");
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /3 of 3 good runs completed beside 10 bad ones .* 0 problems/);
  },
);
