import assert from "node:assert/strict";
import { test } from "node:test";
import { Output, type Sink } from "../../src/cli/output.ts";
import { createProgress, statusLine } from "../../src/cli/progress.ts";
import { progressLines } from "../../src/cli/progress-lines.ts";
import { statusLines } from "../../src/cli/status-lines.ts";
import { tableLines } from "../../src/cli/table.ts";
import { durationText } from "../../src/cli/time-text.ts";
import type { Recorded, RunEvent } from "../../src/model/events.ts";
import type { Signal } from "../../src/model/signals.ts";
import { damagedStatusView } from "../../src/views/status.ts";
import { Fault } from "../../src/model/fault.ts";

const record = (event: RunEvent): Recorded => ({ ...event, run: "r", seq: 1, at: 0, hash: "" });
const signals = (...list: Signal[]): Recorded =>
  record({ type: "SignalsHeard", data: { attempt: "work#1", cursor: "", signals: list } });

function sink(isTTY: boolean, columns = 40): Sink & { text: string } {
  return {
    isTTY,
    columns,
    text: "",
    write(text) {
      this.text += text;
      return true;
    },
  };
}

const outputTo = (stdout: Sink, json = false): Output =>
  new Output({ json, stdout, stderr: sink(false), term: "xterm" });

test("O1 on a terminal the status line stands below the lines and leaves nothing behind at the end", () => {
  const tty = sink(true);
  const progress = createProgress(outputTo(tty), () => undefined);
  progress.event(signals({ kind: "message", from: "agent", text: `\u001b[2J ${"very ".repeat(30)}long` }));
  progress.say("a word of our own");
  progress.close();
  const shown = tty.text.split("\r\u001b[2K").filter((part) => part !== "");
  assert.match(shown[0] ?? "", /work#1: says: ␛\[2J very/);
  for (const part of shown) if (!part.endsWith("\n")) assert.ok([...part].length <= 40, part);
  assert.ok(tty.text.endsWith("\r\u001b[2K"));
});

test("O1 without a terminal, or on a dumb one, progress is plain lines", () => {
  for (const [stdout, term] of [
    [sink(false), "xterm"],
    [sink(true), "dumb"],
  ] as const) {
    const output = new Output({ json: false, stdout, stderr: sink(false), term });
    const progress = createProgress(output, () => undefined);
    progress.event(signals({ kind: "progress", text: "half" }));
    progress.close();
    assert.match(stdout.text, /^\d\d:\d\d:\d\d {2}work#1: progress: half\n$/);
  }
});

test("O1 in JSON mode progress prints nothing", () => {
  const stdout = sink(true);
  const progress = createProgress(outputTo(stdout, true), () => undefined);
  progress.event(signals({ kind: "progress", text: "half" }));
  progress.say("word");
  progress.close();
  assert.equal(stdout.text, "");
});

test("O1 book-keeping is not told to somebody who watches, and a flood of signals is cut", () => {
  assert.deepEqual(progressLines(record({ type: "RunStarted", data: {} })), []);
  assert.deepEqual(progressLines(signals({ kind: "ready" }, { kind: "usage", tokensIn: 1 })), []);
  const flood = progressLines(
    signals(...Array.from({ length: 100 }, (): Signal => ({ kind: "progress", text: "x" }))),
  );
  assert.equal(flood.length, 21);
  assert.match(flood[0] ?? "", /80 more signals before these/);
});

test("O1 the status line says the last words where nothing else is known", () => {
  assert.equal(statusLine(undefined, "work#1: says\u0007: hello"), "work#1: says␇: hello");
});

test("G3 a damaged journal is shown as a blocked run with the command that tells more", () => {
  const fault = new Fault("journal_damaged", "event 3 of r does not match its hash", { details: { seq: 3 } });
  const text = statusLines(damagedStatusView("r", fault, "sqlite:/my store.db")).join("\n");
  assert.match(text, /blocked {3,}journal_damaged: event 3 of r/);
  assert.match(text, /go on {3,}holdfast salvage r --store 'sqlite:\/my store\.db'/);
  assert.match(text, /advice {3,}restore the store from a copy/);
});

test("O1 tables are aligned, wide characters included, and times told in their two largest units", () => {
  assert.deepEqual(
    tableLines([
      ["A", "B"],
      ["日本", "x"],
    ]),
    ["A     B", "日本  x"],
  );
  assert.deepEqual([1_000, 65_000, 3_700_000, 90_000_000].map(durationText), [
    "1 s",
    "1 min 5 s",
    "1 h 1 min",
    "1 d 1 h",
  ]);
});
