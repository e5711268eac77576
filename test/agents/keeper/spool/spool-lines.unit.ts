import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LINE_BYTES_MAX,
  lineScanner,
  type SpoolLine,
} from "../../../../src/agents/keeper/spool/spool-lines.ts";

/** Small and repeatable: the same seed cuts at the same places. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function scanInPieces(bytes: Buffer, from: number, chance: () => number): SpoolLine[] {
  const scanner = lineScanner(from);
  const lines: SpoolLine[] = [];
  for (let at = from; at < bytes.length;) {
    const piece = bytes.subarray(at, at + 1 + Math.floor(chance() * 40));
    lines.push(...scanner.push(piece));
    at += piece.length;
    assert.equal(scanner.readTo(), at);
  }
  const half = scanner.half();
  return half === undefined ? lines : [...lines, half];
}

const BYTES = Buffer.from('{"a":1}\n\nöäü 🙂 \r\n"x"\n\u0000\nlast without an end');

test("A2 however a spool arrives, its lines are the same", () => {
  const whole = scanInPieces(BYTES, 0, () => 1_000);
  assert.deepEqual(
    whole.map((line) => [line.text, line.kind]),
    [
      ['{"a":1}', "whole"],
      ["", "whole"],
      ["öäü 🙂 \r", "whole"],
      ['"x"', "whole"],
      ["\u0000", "whole"],
      ["last without an end", "half"],
    ],
  );
  for (let seed = 1; seed <= 500; seed += 1)
    assert.deepEqual(scanInPieces(BYTES, 0, chanceFrom(seed)), whole);
});

test("A2 reading on from the end of any line yields exactly the lines after it", () => {
  const whole = scanInPieces(BYTES, 0, () => 1_000);
  for (const [index, line] of whole.entries())
    assert.deepEqual(scanInPieces(BYTES, line.end, chanceFrom(7)), whole.slice(index + 1));
});

test("A7 a line without end is held only in part, and given out cut with what follows intact", () => {
  const scanner = lineScanner(0);
  const piece = Buffer.alloc(100_000, "x");
  for (let count = 0; count < 50; count += 1) assert.deepEqual(scanner.push(piece), []);
  const [cut, next] = scanner.push(Buffer.from("\nnext\n"));
  assert.deepEqual([cut?.kind, cut?.text.length, cut?.end], ["cut", LINE_BYTES_MAX, 5_000_001]);
  assert.deepEqual(next, { text: "next", kind: "whole", end: 5_000_006 });
});

test("A7 bytes that are no UTF-8 are read with marks in their place", () => {
  const [line] = lineScanner(0).push(Buffer.from([0x61, 0xff, 0xc3, 0x0a]));
  assert.deepEqual(line, { text: "a\ufffd\ufffd", kind: "whole", end: 4 });
});
