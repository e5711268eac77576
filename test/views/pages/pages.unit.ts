import assert from "node:assert/strict";
import { test } from "node:test";
import { turnDay, spendToday } from "../../../src/fold/resource/spent-today.ts";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { costDays, daysOf } from "../../../src/views/pages/cost-days.ts";
import { ownerHistory } from "../../../src/views/pages/owner-history.ts";
import { remedyList } from "../../../src/views/pages/remedy-list.ts";
import { newProgramRun } from "../../../src/fold/new-run-state.ts";

const DAY_MS = 86_400_000;
const NOON = Date.parse("2026-11-17T12:00:00Z");

const journalOf = (...events: RunEvent[]): Recorded[] =>
  events.map((event, at) => ({ ...event, run: "r", seq: at + 1, at: NOON + at * 1_000, hash: "" }));

const emptyRun = (at: number): RunState =>
  newProgramRun("r", at, { body: null, input: null, budget: {}, by: "" });

test("G1 O1 what a run used is known by days, also of days before today, and the oldest are forgotten", () => {
  const state = emptyRun(NOON);
  for (const [day, usd] of [
    [0, 1],
    [0, 2],
    [1, 0],
    [3, 4],
  ] as const) {
    turnDay(state, NOON + day * DAY_MS);
    spendToday(state, { usd, tokens: usd * 10 });
  }
  assert.deepEqual(
    daysOf(state).map(({ day, usd }) => [day, usd]),
    [
      ["2026-11-17", 3],
      ["2026-11-20", 4],
    ],
  );
  const days = costDays([daysOf(state), daysOf(state)], NOON + 3 * DAY_MS, 3);
  assert.deepEqual(
    days.map(({ day, usd, runs }) => [day, usd, runs]),
    [
      ["2026-11-18", 0, 0],
      ["2026-11-19", 0, 0],
      ["2026-11-20", 8, 2],
    ],
  );
  for (let day = 4; day < 200; day += 1) {
    turnDay(state, NOON + day * DAY_MS);
    spendToday(state, { usd: 1, tokens: 1 });
  }
  assert.ok(state.days.length < 100, "bounded");
});

test("O1 a remedy stands with its result, and a result without its beginning stands for itself", () => {
  const taken = { step: "s", attempt: "s#1", remedy: "nudge", tryNumber: 1, pattern: "tool_loop" } as const;
  const assessed = {
    step: "s",
    remedy: "nudge",
    tryNumber: 1,
    outcome: "no_help",
    why: "still loops",
  } as const;
  const found = remedyList(
    journalOf(
      { type: "RemedyJudged", data: { ...assessed, remedy: "warn", outcome: "not_applicable" } },
      { type: "RemedyTaken", data: taken },
      { type: "RemedyJudged", data: assessed },
      { type: "RemedyTaken", data: { ...taken, tryNumber: 2 } },
    ),
  );
  assert.deepEqual(
    found.map(({ remedy, takenSeq, outcome, endedSeq }) => [remedy, takenSeq, outcome, endedSeq]),
    [
      ["warn", null, "not_applicable", 1],
      ["nudge", 2, "no_help", 3],
      ["nudge", 4, null, null],
    ],
  );
});

test("P3 O1 owners follow each other, each until the next", () => {
  const { owners } = ownerHistory(
    journalOf(
      { type: "RunClaimed", data: { owner: "a", epoch: 1, from: "nobody", host: "here" } },
      { type: "RunStarted", data: {} },
      { type: "RunClaimed", data: { owner: "b", epoch: 2, from: "silent" } },
    ),
  );
  assert.deepEqual(
    owners.map(({ owner, from, host, until }) => [owner, from, host, until]),
    [
      ["a", "nobody", "here", owners[1]?.at],
      ["b", "silent", null, null],
    ],
  );
});
