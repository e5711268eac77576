import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BAR_PX_MIN, boxesOf } from "../../../../../web/src/screens/run/timeline/layout/layout-boxes.ts";
import type { Bar } from "../../../../../web/src/screens/run/timeline/layout/layout-lanes.ts";

const bar = (from: number, to: number): Bar => ({
  from,
  to,
  isCutLeft: false,
  isOpen: false,
  one: {
    kind: "attempt",
    lane: "build",
    id: `build#${String(from)}`,
    from,
    fromSeq: 1,
    to,
    toSeq: 2,
    agent: "main",
    outcome: "done",
    text: "",
  },
});

void describe("bars of a row", () => {
  const axis = { xOf: (time: number) => time / 10, width: 100 };

  void it("O2 no bar of the timeline lies on its neighbour, however short it is or how near the edge", () => {
    for (const times of [
      [bar(0, 1), bar(1, 900), bar(901, 902), bar(902, 903)],
      [bar(990, 991), bar(991, 999), bar(999, 1_000)],
      [bar(-500, 1), bar(2, 3), bar(995, 4_000)],
      Array.from({ length: 12 }, (_, at) => bar(at * 50, at * 50 + 1)),
    ]) {
      const boxes = boxesOf(times, axis);
      assert.equal(boxes.length, times.length);
      for (const [at, { left, width }] of boxes.entries()) {
        assert.ok(width >= BAR_PX_MIN - 1e-9, `bar ${String(at)} is ${String(width)} px wide`);
        assert.ok(left + width <= axis.width + 1e-9);
        const next = boxes[at + 1];
        assert.ok(next === undefined || left + width <= next.left + 1e-9, `bar ${String(at)} is covered`);
      }
    }
  });

  void it("O2 a bar of the timeline begins and ends at its times, and is not drawn where it is not seen", () => {
    const long = bar(200, 700);
    assert.deepEqual(boxesOf([bar(-20, -10), long, bar(1_100, 1_200)], axis), [
      { bar: long, left: 20, width: 50 },
    ]);
  });
});
