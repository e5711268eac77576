import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runProgram } from "../../kill/killed-process.ts";

const PROGRAM = join(import.meta.dirname, "chaos-continuous.ts");
const LIMIT_MS = 240_000;

test("G14 J4 a session of goals of every kind whose process is killed at random ends each of them once, in order", async (t) => {
  const words = ["--goals", "10", "--seed", "3", "--every", "2500", "--kills", "8"];
  const ended = await runProgram(PROGRAM, words, { limitMs: LIMIT_MS });
  t.diagnostic(ended.output.trim().split("\n").at(-1) ?? "");
  assert.equal(ended.code, 0, ended.output);
  assert.match(ended.output, /10 goals, seed 3: idle; .*; [1-8] kills; 0 violations/);
});

test("G9 G14 a session whose budget does not suffice ends as session_budget_exhausted under kills too, within the grace", async (t) => {
  const words = ["--goals", "8", "--seed", "5", "--usd", "3", "--every", "2500", "--kills", "4"];
  const ended = await runProgram(PROGRAM, words, { limitMs: LIMIT_MS });
  t.diagnostic(ended.output.trim().split("\n").at(-1) ?? "");
  assert.equal(ended.code, 0, ended.output);
  assert.match(ended.output, /8 goals, seed 5: session_budget_exhausted; .*; [1-4] kills; 0 violations/);
});
