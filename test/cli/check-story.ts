import assert from "node:assert/strict";
import { userInfo } from "node:os";
import type { Report } from "../../src/views/report/report.ts";
import type { WhyView } from "../../src/views/why/why.ts";
import { RAISE, REJECTION, RUN, type Reported } from "./seven-stage-story.ts";

const ASKED = ["design", "design", "budget_exhausted", "timeout", "hook_block", "release"];

/** Whether the journal is whole, and whether the report tells every happening of the story as it was. */
export async function checkStory({ bench, killedAt, asked }: Reported): Promise<void> {
  assert.deepEqual(asked, ASKED);
  assert.equal(killedAt.length, 2);
  const verified = await bench.call(["verify", RUN]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const status = await bench.json<{ status: string; reality: { verdict: string } }>(["status", RUN]);
  assert.deepEqual([status.status, status.reality.verdict], ["completed", "READY"]);
  const report = await bench.json<Report & { readonly text: string }>(["report", RUN]);
  checkReport(report, killedAt.length);
  checkText(report.text);
  const why = await bench.json<WhyView>(["why", RUN]);
  assert.equal(why.state, `${RUN} is completed: 7 steps succeeded, 1 skipped`);
  const blind = why.chain.filter(({ evidence }) => evidence.includes("what led to it is not recorded"));
  assert.deepEqual(
    blind.map(({ seq, text }) => `${String(seq)} ${text}`),
    [],
  );
}

function checkReport({ parts }: Report, kills: number): void {
  const rows = (title: string) => parts.find((part) => part.title === title)?.table?.rows ?? [];
  const lines = (title: string) => parts.find((part) => part.title === title)?.lines ?? [];
  const me = userInfo().username;
  assert.equal(lines("Outcome").filter((line) => line.startsWith("reality check: READY")).length, 1);
  assert.deepEqual(
    rows("Steps").map(([step, state, attempts]) => `${step ?? ""} ${state ?? ""} ${attempts ?? ""}`),
    [
      "intake succeeded 1",
      "design succeeded 2",
      "plan succeeded 1",
      "build succeeded 3",
      "test succeeded 2",
      "review succeeded 1",
      "release succeeded 1",
      "rescue skipped 0",
    ],
  );
  assert.match(rows("Steps").at(-1)?.at(-1) ?? "", /"build" has succeeded, expected failed/);
  assert.deepEqual(
    rows("Gates").map(([gate, state, by, , back]) => [gate, state, by, back]),
    [
      ["design", "passed", `${me} (principal not proven)`, "1"],
      ["reviewed", "passed", "", "0"],
      ["release", "passed", `${me} (principal not proven)`, "0"],
    ],
  );
  const verdicts = rows("Checks").filter(([, command]) => command?.includes("QA:") === true);
  assert.deepEqual(
    verdicts.map(([, , verdict]) => verdict),
    // Before the first attempt, after each, and at the end.
    ["fail", "fail", "fail", "pass", "pass"],
  );
  // The questions in their order, all settled by the person who did, with the person's own words.
  assert.deepEqual(
    rows("Questions to people").map(([, reason, , , , by, note]) => [reason, by, note]),
    [
      ["approval_transition", me, REJECTION],
      ["approval_transition", me, ""],
      ["budget_exhausted", me, RAISE],
      ["timeout", me, ""],
      ["hook_block", me, ""],
      ["approval_transition", me, ""],
    ],
  );
  assert.deepEqual(
    rows("Decisions of people").map(([, , who, what]) => `${who ?? ""} ${what ?? ""}`),
    ["reject", "approve", "set", "set", "retry", "approve"].map(
      (what) => `${me} (principal not proven) ${what}`,
    ),
  );
  checkTurns(
    rows("Turns").map((row) => row.at(-1) ?? ""),
    kills,
  );
  assert.equal(lines("Cost")[0], "10.00 USD of 100");
}

const TURNS = [
  /sent back by .* to design: the error case is missing/,
  /gate of phase designing: [0-9a-f]{12} is approved by/,
  /the budget of the run is spent: \$4\.00 of \$4\.00/,
  /blocked: budget_exhausted/,
  /budget changed by .*"usd":100/,
  /step build: did not pass its checks.*QA: 1 of 3 parts work/,
  /step build: did not pass its checks.*QA: 2 of 3 parts work/,
  /step rescue: skipped/,
  /blocked: timeout — the phase "testing"/,
  /test#1: interrupted, not charged/,
  /changes phase\.testing\.limitMs from 1500 to 3600000/,
  /hook freeze, before dispatch release#1: blocked: no releases on Fridays/,
  /blocked: hook_block/,
  /gate of phase releasing: [0-9a-f]{12} is approved by/,
  /reality check: READY/,
];

/** Each turn once and in the order of the story; the takeovers lie wherever the seed put the kills. */
function checkTurns(reported: readonly string[], kills: number): void {
  const taken = reported.filter((line) =>
    line.includes("took the run over: the process that worked it is gone"),
  );
  assert.equal(taken.length, kills, reported.join("\n"));
  const places = TURNS.map((turn) => reported.findIndex((line) => turn.test(line)));
  for (const [at, place] of places.entries())
    assert.ok(place >= 0, `${String(TURNS[at])} is not told:\n${reported.join("\n")}`);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    reported.join("\n"),
  );
}

/** The page says the same to a reader. */
function checkText(text: string): void {
  for (const words of [
    "# story: completed",
    "reality check: READY: all evidence holds",
    "| rescue | skipped | 0 |",
    "the error case is missing",
    "the customer pays for it",
    "no releases on Fridays",
    "QA: 2 of 3 parts work",
    "the process that worked it is gone",
    "budget\\_exhausted",
    "timeout",
  ])
    assert.ok(text.includes(words), `the page does not say "${words}":\n${text}`);
}
