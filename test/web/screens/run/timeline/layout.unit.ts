import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldsOf } from "../../../../../web/src/screens/run/timeline/layout/layout-folds.ts";
import {
  extentOf,
  joinWindows,
  type Lasting,
  type Mark,
  type TimelineAnswer,
} from "../../../../../web/src/screens/run/timeline/layout/layout-items.ts";
import { lanesOf, seenRows } from "../../../../../web/src/screens/run/timeline/layout/layout-lanes.ts";
import {
  clustersOf,
  laneAt,
  remediesOf,
} from "../../../../../web/src/screens/run/timeline/layout/layout-marks.ts";
import { miniMapOf, seqAtShare } from "../../../../../web/src/screens/run/timeline/layout/layout-mini.ts";
import { ownersOf } from "../../../../../web/src/screens/run/timeline/layout/layout-owners.ts";
import { scaleOf } from "../../../../../web/src/screens/run/timeline/layout/layout-scale.ts";
import { ticksOf } from "../../../../../web/src/screens/run/timeline/layout/layout-ticks.ts";
import {
  clampView,
  followView,
  keyedView,
  panView,
  revealView,
  zoomView,
} from "../../../../../web/src/screens/run/timeline/layout/layout-view.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse("2026-03-01T12:00:00.000Z");

const lasting = (over: Partial<Lasting>): Lasting => ({
  kind: "attempt",
  lane: "build",
  id: "build#1",
  from: NOON,
  fromSeq: 1,
  to: NOON + 10 * MINUTE,
  toSeq: 2,
  agent: "main",
  outcome: "done",
  text: "",
  ...over,
});
const mark = (over: Partial<Mark>): Mark => ({
  kind: "checkpoint",
  at: NOON,
  seq: 1,
  lane: "run",
  outcome: null,
  text: "",
  ...over,
});
const windowOf = (over: Partial<TimelineAnswer>): TimelineAnswer => ({
  run: "r",
  fromSeq: 1,
  toSeq: 10,
  head: 20,
  before: null,
  intervals: [],
  marks: [],
  ...over,
});
const loadedOf = (items: readonly Lasting[], marks: readonly Mark[] = []) => ({
  lasting: items,
  marks,
  fromSeq: 1,
  toSeq: 100,
  head: 100,
});

void describe("what is loaded of a timeline", () => {
  const iso = (ms: number): string => new Date(ms).toISOString();

  void it("O2 an attempt that lies across the edge of two windows is one bar", () => {
    const begins = { ...lasting({}), from: iso(NOON), to: null, toSeq: null, outcome: null };
    const ends = { ...lasting({}), from: null, fromSeq: null, to: iso(NOON + HOUR), toSeq: 15 };
    const joined = joinWindows([
      windowOf({ intervals: [begins] }),
      windowOf({ fromSeq: 11, toSeq: 20, intervals: [ends] }),
    ]);
    assert.equal(joined.lasting.length, 1);
    assert.deepEqual(joined.lasting[0], { ...lasting({}), to: NOON + HOUR, toSeq: 15 });
    assert.deepEqual([joined.fromSeq, joined.toSeq, joined.head], [1, 20, 20]);
  });

  void it("O2 two blocks of a run after each other stay two", () => {
    const block = {
      ...lasting({ kind: "blocked", lane: "run", id: "run" }),
      from: iso(NOON),
      to: iso(NOON + 1),
    };
    const again = { ...block, from: iso(NOON + 5), to: iso(NOON + 6) };
    assert.equal(joinWindows([windowOf({ intervals: [block, again] })]).lasting.length, 2);
  });

  void it("O2 what is not over reaches to now, but only where the end of the run is loaded", () => {
    const open = lasting({ to: null });
    const now = NOON + 3 * HOUR;
    assert.equal(extentOf(loadedOf([open]), now).to, now);
    assert.equal(extentOf({ ...loadedOf([open, lasting({})]), toSeq: 50 }, now).to, NOON + 10 * MINUTE);
  });
});

void describe("idle gaps of a timeline", () => {
  const waiting = lasting({
    kind: "wait",
    id: "build",
    from: NOON + 10 * MINUTE,
    to: NOON + 130 * MINUTE,
    outcome: "quota",
  });
  const after = lasting({ id: "build#2", from: NOON + 130 * MINUTE, to: NOON + 140 * MINUTE });
  const items = [lasting({}), waiting, after];
  const extent = { from: NOON, to: NOON + 140 * MINUTE };

  void it("O2 a wait of two hours between two short attempts is folded, and the fold says what was waited for", () => {
    assert.deepEqual(foldsOf(items, [], extent), [
      { from: NOON + 10 * MINUTE, to: NOON + 130 * MINUTE, reason: "quota", kind: "wait" },
    ]);
  });

  void it("O2 a folded gap takes a tenth of the axis, and work the rest", () => {
    const scale = scaleOf(extent, foldsOf(items, [], extent));
    const share = (scale.uOf(NOON + 130 * MINUTE) - scale.uOf(NOON + 10 * MINUTE)) / scale.units;
    assert.ok(share > 0.05 && share < 0.12, `it takes ${String(share)}`);
    assert.ok((scale.uOf(NOON + 10 * MINUTE) - scale.uOf(NOON)) / scale.units > 0.4);
  });

  void it("O2 every moment is found again at its place on the axis", () => {
    const scale = scaleOf(extent, foldsOf(items, [], extent));
    for (let at = extent.from; at <= extent.to; at += 90_000)
      assert.ok(Math.abs(scale.timeAt(scale.uOf(at)) - at) < 1);
  });

  void it("O2 a block outweighs a wait of the same length, and a gap of which nothing is known says so", () => {
    const blocked = {
      ...waiting,
      kind: "blocked",
      lane: "run",
      id: "run",
      outcome: "conflict_loop",
    } as const;
    assert.equal(foldsOf([...items, blocked], [], extent)[0]?.reason, "conflict_loop");
    assert.deepEqual(foldsOf([lasting({}), after], [], extent)[0]?.kind, "idle");
  });

  void it("O2 something that happens within a gap is not folded away", () => {
    const seen = mark({ at: NOON + HOUR });
    const folds = foldsOf(items, [seen], extent);
    assert.equal(folds.length, 2);
    assert.ok(folds.every(({ from, to }) => seen.at < from || seen.at > to));
  });

  void it("O2 short gaps are left as they are", () => {
    const soon = lasting({ id: "build#2", from: NOON + 10 * MINUTE + 20_000, to: NOON + 20 * MINUTE });
    assert.deepEqual(foldsOf([lasting({}), soon], [], { from: NOON, to: NOON + 20 * MINUTE }), []);
  });
});

void describe("lanes of a timeline", () => {
  void it("O2 each attempt has a lane of its own, with the wait that led to it", () => {
    const items = [
      lasting({}),
      lasting({ kind: "wait", id: "build", from: NOON + 10 * MINUTE, to: NOON + 20 * MINUTE }),
      lasting({ id: "build#2", from: NOON + 20 * MINUTE, to: null }),
      lasting({ kind: "blocked", lane: "run", id: "run", from: NOON + 30 * MINUTE, to: null }),
    ];
    const lanes = lanesOf(loadedOf(items), { from: NOON, to: NOON + HOUR });
    assert.deepEqual(
      lanes.map(({ label, bars }) => [label, bars.map(({ one }) => one.kind)]),
      [
        ["run", ["blocked"]],
        ["build#1", ["attempt"]],
        ["build#2", ["wait", "attempt"]],
      ],
    );
  });

  void it("O2 of 5,000 lanes only those are drawn that the box shows", () => {
    assert.deepEqual(seenRows(5_000, { top: 2_400, height: 480, row: 24 }), { first: 98, end: 122 });
    assert.deepEqual(seenRows(3, { top: 0, height: 480, row: 24 }), { first: 0, end: 3 });
  });

  void it("O2 a remedy is shown with its result, under the attempt that it was meant for", () => {
    const marks = [
      mark({ kind: "remedy", lane: "build", outcome: "nudge", at: NOON + 1 }),
      mark({ kind: "remedy_result", lane: "build", outcome: "no_effect", at: NOON + 2 }),
      mark({ kind: "remedy", lane: "build", outcome: "restart", at: NOON + 25 * MINUTE }),
    ];
    const remedies = remediesOf(marks);
    assert.deepEqual(
      remedies.map(({ name, result }) => [name, result?.outcome ?? null]),
      [
        ["nudge", "no_effect"],
        ["restart", null],
      ],
    );
    const lanes = lanesOf(loadedOf([lasting({}), lasting({ id: "build#2", from: NOON + 20 * MINUTE })]), {
      from: NOON,
      to: NOON + HOUR,
    });
    assert.equal(laneAt(lanes, "build", NOON + 1), "build#1");
    assert.equal(laneAt(lanes, "build", NOON + 25 * MINUTE), "build#2");
    assert.equal(laneAt(lanes, "test", NOON), null);
  });

  void it("O2 a claim of another owner ends the time of the one before", () => {
    const claims = [
      mark({ kind: "owner", at: NOON, text: "a" }),
      mark({ kind: "owner", at: NOON + MINUTE, text: "b" }),
    ];
    const owners = ownersOf(claims, { from: NOON, to: NOON + HOUR }, ({ text }) => text);
    assert.deepEqual(
      owners.map(({ owner, from, to }) => [owner, from - NOON, to - NOON]),
      [
        ["a", 0, MINUTE],
        ["b", MINUTE, HOUR],
      ],
    );
  });

  void it("O2 marks that would lie on each other become one", () => {
    const marks = [0, 1, 2, 50, 500].map((at) => mark({ at, seq: at }));
    const clusters = clustersOf(marks, (at) => at, { width: 100, apart: 10 });
    assert.deepEqual(
      clusters.map(({ x, marks: of }) => [x, of.length]),
      [
        [0, 3],
        [50, 1],
      ],
    );
  });
});

void describe("the part of a timeline that is seen", () => {
  const units = 100_000;
  const view = { from: 20_000, to: 40_000 };

  void it("O2 zooming keeps what is under the pointer where it is, and stays on the axis", () => {
    assert.deepEqual(zoomView(view, 0.5, { anchor: 0, units }), { from: 20_000, to: 30_000 });
    assert.deepEqual(zoomView(view, 0.5, { anchor: 1, units }), { from: 30_000, to: 40_000 });
    assert.deepEqual(zoomView(view, 100, { anchor: 0.5, units }), { from: 0, to: units });
    const nearest = zoomView(view, 0, { anchor: 0.5, units });
    assert.ok(nearest.to - nearest.from > 0);
    assert.deepEqual(clampView({ from: -5_000, to: 15_000 }, units), { from: 0, to: 20_000 });
  });

  void it("O2 every key of the timeline moves or zooms it, and others are left alone", () => {
    assert.deepEqual(keyedView("l", view, units), panView(view, 0.2, units));
    assert.deepEqual(keyedView("End", view, units), { from: 80_000, to: units });
    assert.deepEqual(keyedView("Home", view, units), { from: 0, to: 20_000 });
    assert.deepEqual(keyedView("0", view, units), { from: 0, to: units });
    const nearer = keyedView("+", view, units);
    assert.ok(nearer !== null && nearer.to - nearer.from < 20_000);
    assert.equal(keyedView("x", view, units), null);
  });

  void it("O2 a view of the end follows a run that goes on; another one stays", () => {
    assert.deepEqual(followView({ from: 80_000, to: units }, units, 110_000), { from: 90_000, to: 110_000 });
    assert.deepEqual(followView({ from: 0, to: units }, units, 110_000), { from: 0, to: 110_000 });
    assert.deepEqual(followView(view, units, 110_000), view);
    assert.deepEqual(revealView(view, 30_000, units), view);
    assert.deepEqual(revealView(view, 70_000, units), { from: 60_000, to: 80_000 });
  });

  void it("O2 ticks stand at round times of the person's zone, apart, and never within a fold", () => {
    const extent = { from: NOON, to: NOON + 4 * HOUR };
    const fold = { from: NOON + HOUR, to: NOON + 3 * HOUR, reason: "quota", kind: "wait" } as const;
    const scale = scaleOf(extent, [fold]);
    const all = { from: 0, to: scale.units };
    const ticks = ticksOf(scale, all, { width: 1_000, apart: 80, zoneMinutes: -90 });
    assert.ok(ticks.length >= 4);
    for (const [index, { at, x }] of ticks.entries()) {
      assert.equal((at + 90 * MINUTE) % (5 * MINUTE), 0);
      assert.ok(at <= fold.from || at >= fold.to);
      assert.ok(index === 0 || x - (ticks[index - 1]?.x ?? 0) >= 80);
    }
  });

  void it("O2 the map of a run of 100,000 events says which part is loaded, and where to look", () => {
    const loaded = {
      ...loadedOf([], [mark({ kind: "remedy", seq: 99_500 }), mark({ seq: 99_900 })]),
      fromSeq: 98_001,
      toSeq: 100_000,
      head: 100_000,
    };
    const cells = miniMapOf(loaded, 200);
    assert.equal(cells.length, 200);
    assert.equal(cells.filter(({ isLoaded }) => isLoaded).length, 4);
    assert.deepEqual(cells.at(-1), {
      fromSeq: 99_501,
      toSeq: 100_000,
      isLoaded: true,
      marks: 1,
      isNotable: false,
    });
    assert.equal(cells.at(-2)?.isNotable, true);
    assert.equal(seqAtShare(0.5, 100_000), 50_000);
    assert.equal(miniMapOf({ ...loaded, head: 3, fromSeq: 1, toSeq: 3 }, 200).length, 3);
  });
});
