import assert from "node:assert/strict";
import { test } from "node:test";
import { SnapshotRule } from "../../../src/loop/life/snapshot-rule.ts";

interface History {
  readonly events: number;
  readonly eventBytes: number;
  /** What is alive after so many events. */
  readonly live: (seq: number) => number;
}

/** Plays a history, and tells what was written for snapshots and the most that reopening would ever have read. */
function played({ events, eventBytes, live }: History) {
  const rule = new SnapshotRule({ snapshotSeq: 0, snapshotBytes: 0, bytesSince: 0 });
  let snapshot = { seq: 0, bytes: 0 };
  let written = 0;
  let worst = 0;
  let looks = 0;
  for (let seq = 1; seq <= events; seq += 1) {
    rule.folded(eventBytes);
    const read = snapshot.bytes + (seq - snapshot.seq) * eventBytes;
    const due = rule.isDue(seq, () => ((looks += 1), live(seq)));
    if (seq >= 5_000) worst = Math.max(worst, read / live(seq));
    if (!due) continue;
    snapshot = { seq, bytes: live(seq) };
    written += snapshot.bytes;
    rule.written(seq, snapshot.bytes);
  }
  return { written, worst, looks };
}

test("J5 a state that only grows is hardly ever written as a whole, and never read more than once", () => {
  const { written, worst, looks } = played({ events: 8_000, eventBytes: 1_000, live: (seq) => seq * 1_000 });
  assert.equal(written, 0);
  assert.ok(worst <= 1.01, String(worst));
  assert.ok(looks <= 5, String(looks));
  const long = played({ events: 100_000, eventBytes: 1_000, live: (seq) => seq * 1_000 });
  assert.ok(long.written <= 100_000 * 1_000, String(long.written));
});

test("J5 a state that is rewritten in place is read at most twice over, and so is one with much that is dead", () => {
  const large = played({ events: 50_000, eventBytes: 1_000, live: () => 8_000_000 });
  assert.ok(large.worst <= 2.01, String(large.worst));
  assert.ok(large.written <= 50_000 * 1_000, String(large.written));
  const dead = played({ events: 50_000, eventBytes: 1_000, live: (seq) => seq * 100 + 1_000_000 });
  assert.ok(dead.worst <= 2.6, String(dead.worst));
});

test("J5 a small state gets a snapshot every thousand events, however often its process begins again", () => {
  const { written } = played({ events: 10_500, eventBytes: 200, live: () => 500 });
  assert.equal(written, 10 * 500);
  const rule = new SnapshotRule({ snapshotSeq: 0, snapshotBytes: 0, bytesSince: 999 * 200 });
  rule.folded(200);
  assert.equal(
    rule.isDue(1_000, () => 500),
    true,
  );
});

test("J5 a few large events call for a snapshot before there are a thousand", () => {
  const rule = new SnapshotRule({ snapshotSeq: 0, snapshotBytes: 0, bytesSince: 0 });
  rule.folded(3_000_000);
  assert.equal(
    rule.isDue(3, () => 100),
    false,
  );
  rule.folded(3_000_000);
  assert.equal(
    rule.isDue(4, () => 100),
    true,
  );
});
