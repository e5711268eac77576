import assert from "node:assert/strict";
import { test } from "node:test";
import { lineSignal, PrintedMemory } from "../../../../src/agents/tmux/screen/printed-memory.ts";
import { plainProgram } from "../../../../src/agents/tmux/programs/program.ts";

const isAgain = (memory: PrintedMemory, line: string): boolean => {
  const signal = lineSignal(plainProgram(undefined), "", line, memory);
  assert.equal(signal?.kind, "progress");
  return signal.kind === "progress" && signal.again === true;
};

test("L2 lines that a terminal program prints again and again are no progress, no matter what the clock beside them says", () => {
  const memory = new PrintedMemory();
  const round = (minute: number): string[] => [
    `[12:0${String(minute)}:17] thinking about it`,
    `\u2807 working (${String(minute)}3s)`,
    "let me try that again",
  ];
  assert.deepEqual(
    round(1).map((line) => isAgain(memory, line)),
    [false, false, false],
  );
  for (const minute of [2, 3, 4])
    assert.deepEqual(
      round(minute).map((line) => isAgain(memory, line)),
      [true, true, true],
    );
});

test("L3 a log that grows, a counter and a percentage are progress", () => {
  const memory = new PrintedMemory();
  for (let nth = 1; nth <= 50; nth += 1) {
    assert.equal(isAgain(memory, `[${String(nth)}/500] compiling`), false);
    assert.equal(isAgain(memory, `epoch ${String(nth)}: loss 0.${String(1000 - nth)}`), false);
    assert.equal(isAgain(memory, `downloaded ${String(nth)} %`), false);
  }
});
