import assert from "node:assert/strict";
import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { LIVE_TROUBLES, troubleName, type Trouble } from "../../sim/faults/live-troubles.ts";
import { liveCell, type CellResult } from "../../sim/faults/recovery-cell.ts";
import { crashPoints, remediesAreKept } from "../../sim/faults/recovery-crashes.ts";
import { isAnswered, triageIsKept, TRIAGED_CELLS } from "../../sim/faults/triaged-cells.ts";
import { whyUnfit } from "../../src/decide/ladder/ladder.ts";
import type { EventData } from "../../src/model/events/events.ts";
import { REMEDIES, type Remedy } from "../../src/model/agent/ladder.ts";

const assessedOf = ({ events }: Pick<CellResult, "events">): EventData<"RemedyJudged">[] =>
  events.flatMap((event) => (event.type === "RemedyJudged" ? [event.data] : []));

/** Notices that ask somebody for something; others say that it is settled, or that the run has ended. */
const askingOf = (notices: readonly string[]): string[] =>
  notices.filter((id) => !id.endsWith("/resolved") && !/^run-0\.end\d+\//.test(id));

/** Sessions that the remedies before this one have begun, and whether files went back. */
interface Before {
  readonly sessions: number;
  readonly helpers: number;
  readonly restored: number;
}

const before = (trouble: Trouble, cure: Remedy): Before => {
  const lighter = REMEDIES.slice(0, REMEDIES.indexOf(cure)).filter((one) => whyUnfit(one, trouble) === null);
  const has = (remedy: Remedy): number => (lighter.includes(remedy) ? 1 : 0);
  const sessions = 1 + 2 * has("restart") + has("restore") + has("helper") + has("other_agent");
  return { sessions, helpers: has("helper"), restored: has("restore") };
};

/** What each remedy does, seen from outside of the journal. */
const EFFECTS: Readonly<Record<Remedy, (seen: CellResult, before: Before) => void>> = {
  warn: ({ told: reported, starts }) => {
    assert.deepEqual([reported.length, starts.length], [0, 1]);
  },
  nudge: ({ told: reported, starts }) => {
    assert.equal(starts.length, 1);
    assert.match(reported.at(-1) ?? "", /^It looks as if you are stuck/);
  },
  strategy: ({ told: reported, starts }) => {
    assert.equal(starts.length, 1);
    assert.match(reported.at(-1) ?? "", /^Your (way does not work|context is nearly full)/);
  },
  restart: ({ starts, restored }) => {
    assert.deepEqual([starts.length, restored], [2, 0]);
    assert.match(starts.at(-1)?.task ?? "", /ended because it was stuck/);
  },
  restore: ({ starts, restored }, { sessions }) => {
    assert.deepEqual([starts.length, restored], [sessions + 1, 1]);
    assert.match(starts.at(-1)?.task ?? "", /files were put back/);
  },
  helper: ({ starts }, { sessions }) => {
    // The helper's session, and the one in which the step goes on.
    const [help, after] = starts.slice(-2);
    assert.deepEqual([starts.length, help?.spec.model, after?.spec.model], [sessions + 2, "helper", "first"]);
    assert.match(help?.task ?? "", /you help with one part.*What fails/s);
    assert.match(after?.task ?? "", /a helper \(helper\) was given only the part that failed/);
  },
  other_agent: ({ starts, restored }, { sessions, helpers, restored: before }) => {
    assert.deepEqual(
      starts.map(({ spec }) => spec.model),
      [
        ...Array.from({ length: sessions - helpers }, () => "first"),
        ...Array.from({ length: helpers }, () => "helper"),
        "second",
      ],
    );
    assert.equal(restored, before);
    assert.match(starts.at(-1)?.task ?? "", /this task was first's before/);
  },
  operator: ({ notices, starts }, { sessions }) => {
    assert.deepEqual(askingOf(notices), ["run-0.e1/mail"]);
    // Where the session was suspended before the answer came, the answer begins the next one.
    assert.ok(starts.length === sessions || starts.length === sessions + 1);
  },
  external: ({ notices }) => {
    assert.deepEqual(askingOf(notices), ["run-0.e1/mail", "run-0.e1/pager"]);
  },
};

/** Each trouble has its turn on one day in so many. */
const DAYS = 2;

for (const [at, trouble] of LIVE_TROUBLES.entries())
  test(
    `R1 R2 R3 against ${troubleName(trouble)} every remedy that can help is carried out, its effect is seen and its outcome recorded; the others are passed over`,
    { skip: restsToday(at, DAYS) },
    async () => {
      for (const cure of REMEDIES) {
        const where = `${troubleName(trouble)} × ${cure}`;
        const unfit = whyUnfit(cure, trouble);
        // What cannot help is seen on the way to what does.
        const seen = await liveCell({ trouble, cure: unfit === null ? cure : "operator" });
        assert.equal(seen.status, "completed", where);
        assert.deepEqual(seen.doubled, [], where);
        assert.deepEqual(remediesAreKept(seen.events), [], where);
        const assessed = assessedOf(seen);
        if (unfit !== null) {
          const passed = assessed.filter(({ remedy }) => remedy === cure);
          assert.deepEqual([...new Set(passed.map(({ outcome }) => outcome))], ["not_applicable"], where);
          assert.equal(passed[0]?.why, unfit, where);
          if (cure === "restore") assert.equal(seen.restored, 0, where);
          continue;
        }
        EFFECTS[cure](seen, before(trouble, cure));
        const last = assessed.at(-1);
        assert.deepEqual([last?.remedy, last?.outcome], [cure, "helped"], where);
        const first = seen.events.find((event) => event.type === "RemedyTaken");
        assert.ok(first?.type === "RemedyTaken", where);
        assert.deepEqual([first.data.pattern, first.data.cause], [trouble.pattern, trouble.cause], where);
      }
    },
  );

/** What a message to a headless agent can change: not its provider, and not how full its context is. */
const SPOKEN_TO = LIVE_TROUBLES.filter(
  ({ pattern, cause }) => cause === "agent" && pattern !== "resource_exhaustion",
);

const WORDS_AND_RESTART = ["nudge", "strategy", "restart"] as const;

test("R1 R2 R3 an agent that accepts no messages at work is nudged, and led another way, in a session that continues its conversation", async () => {
  for (const trouble of SPOKEN_TO)
    for (const cure of trouble.pattern === "tool_loop" ? WORDS_AND_RESTART : WORDS_AND_RESTART.slice(0, 1)) {
      const where = `${troubleName(trouble)} × ${cure}, headless`;
      const {
        status,
        doubled,
        events,
        told: reported,
        starts,
      } = await liveCell({ trouble, cure, use: "claude" });
      assert.equal(status, "completed", where);
      assert.deepEqual([doubled, reported, remediesAreKept(events)], [[], [], []], where);
      assert.deepEqual(
        starts.map(({ resume }) => resume),
        [undefined, ...starts.slice(1).map(() => "talk")],
        where,
      );
      const last = assessedOf({ events }).at(-1);
      assert.deepEqual([last?.remedy, last?.outcome], [cure, "helped"], where);
      assert.equal(starts.length, { nudge: 2, strategy: 3, restart: 4 }[cure], where);
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
    const where = `${troubleName(cell.trouble)} × ${cell.judge ?? ""}`;
    assert.equal(seen.status, "completed", where);
    assert.deepEqual([...remediesAreKept(seen.events), ...triageIsKept(seen)], [], where);
    const last = assessedOf(seen).at(-1);
    assert.deepEqual([last?.remedy, last?.outcome], [cell.cure, "helped"], where);
    const assessed = seen.events.flatMap((event) => (event.type === "TriageJudged" ? [event.data] : []));
    assert.deepEqual(
      assessed.map(({ counts }) => counts),
      [isAnswered(cell)],
      where,
    );
    const taken = seen.events.flatMap((event) => (event.type === "RemedyTaken" ? [event.data.remedy] : []));
    if (cell.cure === "operator") assert.equal(taken.includes("restart"), false, where);
  }
});
