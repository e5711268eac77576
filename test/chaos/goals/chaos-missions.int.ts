import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { restsToday } from "../../day-sample.ts";
import { runProgram } from "../../kill/killed-process.ts";

const PROGRAM = join(import.meta.dirname, "chaos-missions.ts");

test(
  "G15 J4 a mission whose coordinator is killed at a random instant ends as an undisturbed one, and a play that was cut short goes on from its place",
  { skip: restsToday(1, 2, "npm run chaos:missions") },
  async (t) => {
    // One boundary is listed, and passed over: the play begins at its second strike, and is cut after it.
    const words = ["--every", "1000", "--random", "2", "--from", "2", "--only", "1"];
    const ended = await runProgram(PROGRAM, words, { limitMs: 840_000 });
    t.diagnostic(ended.output.trim().split("\n").at(-1) ?? "");
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /^2 of 3: after \d+ ms: as undisturbed/m);
    assert.match(ended.output, /^go on with --from 3$/m);
    assert.match(ended.output, /1 struck from 2: [01] kills, 0 with violations/);
  },
);
