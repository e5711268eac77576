import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeSigns, roomOver } from "../../../../../web/src/screens/run/timeline/layout/layout-labels.ts";

void describe("signs and labels of a row", () => {
  void it("O2 remedies taken at one moment stand beside each other, and each has room for itself", () => {
    for (const xs of [[10, 11, 12], [95, 99, 100], [5], [0, 0, 0]]) {
      const placed = placeSigns(
        xs.map((x) => ({ item: x, x })),
        100,
      );
      assert.equal(placed.length, xs.length);
      for (const [at, { left, room }] of placed.entries()) {
        assert.ok(room >= 26, `room of ${String(at)} is ${String(room)}`);
        assert.ok(left + 26 <= 100);
        const next = placed[at + 1];
        assert.ok(next === undefined || left + room <= next.left);
      }
    }
    assert.deepEqual(placeSigns([{ item: "far", x: 400 }], 100), []);
  });

  void it("O2 the label of a folded wait may be wider than the fold, but never lies on its neighbour", () => {
    const rooms = roomOver([100, 180, 500], 600);
    assert.deepEqual(
      rooms.map(({ room }) => room),
      [74, 74, 194],
    );
    for (const [at, { middle, room }] of rooms.entries()) {
      assert.ok(middle - room / 2 >= 0 && middle + room / 2 <= 600);
      const next = rooms[at + 1];
      assert.ok(next === undefined || middle + room / 2 <= next.middle - next.room / 2);
    }
  });
});
