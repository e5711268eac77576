import assert from "node:assert/strict";
import { test } from "node:test";
import { scanWal, type WalScan } from "../../../../src/journal/sqlite/log/wal-scan.ts";
import { builtWal, FRAME, type WalPlan } from "../built-wal.ts";

const scan = (bytes: Buffer): WalScan =>
  scanWal({ read: (offset, length) => bytes.subarray(offset, offset + length) }, 512);

/** Transactions of one, two and three frames. */
const THREE: WalPlan = { transactions: [[1], [2, 3], [1, 4, 5]] };

const flipped = (bytes: Buffer, offset: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 0x10, offset);
  return copy;
};
const frameAt = (number: number): number => 32 + (number - 1) * FRAME;

test("J2 a whole log is sound, and all its transactions are committed", () => {
  for (const bigEndianSums of [false, true]) {
    const found = scan(builtWal({ ...THREE, bigEndianSums }));
    assert.equal(found.verdict, "sound");
    assert.equal(found.bad, null);
    assert.deepEqual(found.committed, { frames: 6, pagesAfter: 9, pages: new Set([1, 2, 3, 4, 5]) });
  }
});

test("J2 a log that is missing, empty, or cut within its header holds nothing and is sound", () => {
  for (const length of [0, 1, 31]) {
    const found = scan(builtWal(THREE).subarray(0, length));
    assert.deepEqual([found.verdict, found.salts, found.committed.frames], ["sound", null, 0]);
  }
});

test("J2 a log cut at any length is a torn tail, and whole transactions before the cut stay", () => {
  const bytes = builtWal(THREE);
  const ends = [0, 1, 3, 6];
  for (let length = 32; length <= bytes.length; length++) {
    const whole = Math.floor((length - 32) / FRAME);
    const found = scan(bytes.subarray(0, length));
    assert.equal(found.verdict, "sound", `cut at ${String(length)}`);
    assert.equal(found.committed.frames, Math.max(...ends.filter((end) => end <= whole)));
  }
});

test("J2 a changed byte before the last transaction is damage, at its exact frame and offset", () => {
  const bytes = builtWal(THREE);
  for (let offset = 32; offset < frameAt(4); offset++) {
    const found = scan(flipped(bytes, offset));
    const frame = Math.floor((offset - 32) / FRAME) + 1;
    assert.notEqual(found.verdict, "sound", `byte ${String(offset)}`);
    assert.deepEqual(found.bad, { frame, offset: frameAt(frame) });
  }
});

test("J2 two transactions behind a bad frame are damage without any doubt", () => {
  assert.equal(scan(flipped(builtWal(THREE), frameAt(1) + 30)).verdict, "damaged");
  const withCommitBad = scan(flipped(builtWal(THREE), frameAt(3) + 30));
  assert.equal(
    withCommitBad.verdict,
    "damaged",
    "the bad frame ended a transaction, and another one follows",
  );
});

test("J2 a bad frame within the last transaction is doubtful: a power loss leaves the same", () => {
  const bytes = builtWal(THREE);
  assert.equal(scan(flipped(bytes, frameAt(4) + 30)).verdict, "doubtful");
  assert.equal(scan(flipped(bytes, frameAt(5) + 30)).verdict, "doubtful");
  assert.equal(scan(flipped(bytes, frameAt(4) + 30)).committed.frames, 3);
});

test("J2 a transaction begun behind the only one in doubt removes the doubt: its predecessor was on disk", () => {
  const bytes = builtWal({ transactions: [[1], [2, 3]], unfinished: [4, 5] });
  assert.equal(scan(flipped(bytes, frameAt(2) + 30)).verdict, "damaged");
});

test("J2 a bad last frame looks like a torn tail, which is why there is a mark of what was acknowledged", () => {
  const found = scan(flipped(builtWal(THREE), frameAt(6) + 30));
  assert.deepEqual([found.verdict, found.committed.frames], ["sound", 3]);
});

test("J2 what a killed writer left behind a later, shorter transaction is a torn tail", () => {
  const abandoned = builtWal({ transactions: [[1]], unfinished: [2, 3, 4, 5, 6] });
  const later = builtWal({ transactions: [[1], [7]] });
  const bytes = Buffer.concat([later, abandoned.subarray(later.length)]);
  const found = scan(bytes);
  assert.deepEqual([found.verdict, found.committed.frames, found.bad], ["sound", 2, null]);
});

test("J2 frames of an earlier generation behind the end are no damage", () => {
  const old = builtWal({ ...THREE, salts: "0102030405060708" });
  const young = builtWal({ transactions: [[1], [2]] });
  const found = scan(Buffer.concat([young, old.subarray(young.length)]));
  assert.deepEqual([found.verdict, found.committed.frames], ["sound", 2]);
  const onlyHeader = scan(Buffer.concat([young.subarray(0, 32), old.subarray(32)]));
  assert.deepEqual([onlyHeader.verdict, onlyHeader.committed.frames], ["sound", 0]);
});

test("J2 any changed byte of the log's header is damage while frames behind it agree, even a single one", () => {
  for (const transactions of [THREE.transactions, [[1]]]) {
    for (const bigEndianSums of [false, true]) {
      const bytes = builtWal({ transactions, bigEndianSums });
      for (let offset = 0; offset < 32; offset++) {
        const found = scan(flipped(bytes, offset));
        assert.deepEqual(
          [found.verdict, found.bad],
          ["damaged", { frame: 0, offset: 0 }],
          `byte ${String(offset)}`,
        );
      }
    }
  }
});

test("J2 a header without any frame that agrees with it is as good as an empty log", () => {
  const bytes = builtWal(THREE);
  const garbage = Buffer.concat([flipped(bytes, 9).subarray(0, 32), Buffer.alloc(3 * FRAME, 7)]);
  assert.equal(scan(garbage).verdict, "sound");
  assert.equal(scan(Buffer.alloc(10 * FRAME)).verdict, "sound");
});

test("J2 a log of any length is read in bounded memory", () => {
  const frame = Buffer.alloc(FRAME);
  let largest = 0;
  const header = builtWal({ transactions: [] });
  scanWal(
    {
      read(offset, length) {
        largest = Math.max(largest, length);
        if (offset === 0) return header;
        const frames = Math.min(length / FRAME, Math.max(0, 20_000 - (offset - 32) / FRAME));
        return Buffer.alloc(frames * FRAME, frame);
      },
    },
    512,
  );
  assert.ok(largest <= 64 * FRAME, `${String(largest)} bytes at once`);
});
