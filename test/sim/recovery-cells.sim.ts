import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE_TROUBLES, liveCell, type CellResult } from "../../sim/recovery-cell.ts";
import { crashPoints, remediesAreKept } from "../../sim/recovery-crashes.ts";
import { triageIsKept, TRIAGED_CELLS } from "../../sim/triaged-cells.ts";
import type { EventData } from "../../src/model/events.ts";
import type { Pattern } from "../../src/model/health.ts";
import { REMEDIES, type Remedy } from "../../src/model/ladder.ts";

const judgedOf = ({ events }: CellResult): EventData<"RemedyJudged">[] =>
  events.flatMap((event) => (event.type === "RemedyJudged" ? [event.data] : []));

/** What each remedy does, seen from outside of the journal. */
const EFFECTS: Readonly<Record<Remedy, (seen: CellResult) => void>> = {
  warn: ({ told, starts }) => {
    assert.deepEqual([told.length, starts.length], [0, 1]);
  },
  nudge: ({ told, starts }) => {
    assert.equal(starts.length, 1);
    assert.match(told.at(-1) ?? "", /^It looks as if you are stuck/);
  },
  strategy: ({ told, starts }) => {
    assert.equal(starts.length, 1);
    assert.match(told.at(-1) ?? "", /^Your (way does not work|context is nearly full)/);
  },
  restart: ({ starts, restored }) => {
    assert.deepEqual([starts.length, restored], [2, 0]);
    assert.match(starts.at(-1)?.task ?? "", /ended because it was stuck/);
  },
  restore: ({ starts, restored }) => {
    assert.deepEqual([starts.length, restored], [4, 1]);
    assert.match(starts.at(-1)?.task ?? "", /files were put back/);
  },
  other_agent: ({ starts }) => {
    assert.deepEqual(
      starts.map(({ spec }) => spec.model),
      ["first", "first", "first", "first", "second"],
    );
    assert.match(starts.at(-1)?.task ?? "", /this task was first's before/);
  },
  operator: ({ notices, starts }) => {
    assert.deepEqual(notices, ["run-0.e1/mail"]);
    assert.equal(starts.length, 5);
  },
  external: ({ notices }) => {
    assert.deepEqual(notices, ["run-0.e1/mail", "run-0.e1/pager"]);
  },
};

/** Words would fill a full context further: there the nudge is passed over. */
const isPassedOver = (pattern: Pattern, remedy: Remedy): boolean =>
  pattern === "resource_exhaustion" && remedy === "nudge";

for (const pattern of Object.keys(LIVE_TROUBLES) as Pattern[])
  test(`R1 R2 R3 against ${pattern} every remedy is carried out, its effect is seen and its outcome recorded`, async () => {
    for (const cure of REMEDIES) {
      const seen = await liveCell({ pattern, cure: isPassedOver(pattern, cure) ? "strategy" : cure });
      const where = `${pattern} × ${cure}`;
      assert.equal(seen.status, "completed", where);
      assert.deepEqual(seen.doubled, [], where);
      assert.deepEqual(remediesAreKept(seen.events), [], where);
      const judged = judgedOf(seen);
      if (isPassedOver(pattern, cure)) {
        const nudge = judged.find(({ remedy }) => remedy === cure);
        assert.equal(nudge?.outcome, "not_applicable", where);
        continue;
      }
      EFFECTS[cure](seen);
      const last = judged.at(-1);
      assert.deepEqual([last?.remedy, last?.outcome], [cure, "helped"], where);
      const first = seen.events.find((event) => event.type === "RemedyTaken");
      assert.ok(first?.type === "RemedyTaken" && first.data.pattern === pattern, where);
    }
  });

test("R1 R2 supervisors that die inside recovery take no two remedies at once, skip none and use none beyond its budget", async (t) => {
  const { points, deaths, bad } = await crashPoints(16);
  t.diagnostic(`${String(points)} crash points, ${String(deaths)} deaths`);
  assert.deepEqual(bad, []);
  assert.equal(deaths, points);
});

test("L6 an agent is asked once about weak evidence, what it answers is heeded, and what is no answer changes nothing", async () => {
  for (const cell of TRIAGED_CELLS) {
    const seen = await liveCell(cell);
    const where = `${cell.pattern} × ${cell.judge ?? ""}`;
    assert.equal(seen.status, "completed", where);
    assert.deepEqual([...remediesAreKept(seen.events), ...triageIsKept(seen)], [], where);
    const last = judgedOf(seen).at(-1);
    assert.deepEqual([last?.remedy, last?.outcome], [cell.cure, "helped"], where);
    const judged = seen.events.flatMap((event) => (event.type === "TriageJudged" ? [event.data] : []));
    assert.deepEqual(
      judged.map(({ counts }) => counts),
      [cell.cure !== "strategy"],
      where,
    );
    const taken = seen.events.flatMap((event) => (event.type === "RemedyTaken" ? [event.data.remedy] : []));
    if (cell.cure === "operator") assert.equal(taken.includes("restart"), false, where);
  }
});
