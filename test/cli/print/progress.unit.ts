import assert from "node:assert/strict";
import { test } from "node:test";
import { Output, type Sink } from "../../../src/cli/print/output.ts";
import { createProgress, statusLine } from "../../../src/cli/print/progress.ts";
import { progressLines } from "../../../src/cli/print/progress-lines.ts";
import { resultText, statusLines } from "../../../src/cli/print/status-lines.ts";
import { UsageMeter } from "../../../src/cli/print/usage-meter.ts";
import { tableLines } from "../../../src/cli/print/table.ts";
import { durationText } from "../../../src/cli/print/local-times.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { damagedStatusView } from "../../../src/views/status/status.ts";
import { Fault } from "../../../src/model/fault.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const ESCAPE = "\u001b";

const record = (event: RunEvent): Recorded => ({ ...event, run: "r", seq: 1, at: 0, hash: "" });
const signals = (...list: Signal[]): Recorded =>
  record({ type: "SignalsHeard", data: { attempt: "work#1", cursor: "", signals: list } });

const STATE = evolve(null, { type: "RunCreated", data: EXAMPLES.RunCreated }, { run: "r", seq: 1, at: 0 });

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
  const plain = new Output({ json: false, stdout: tty, stderr: sink(false), term: "xterm", noColor: "1" });
  const progress = createProgress(plain, () => undefined);
  progress.event(signals({ kind: "message", from: "agent", text: `\u001b[2J ${"very ".repeat(30)}long` }));
  progress.say("a word of our own");
  progress.close();
  const shown = tty.text.split("\r\u001b[2K").filter((part) => part !== "");
  assert.match(shown[0] ?? "", /── work[^]*#1: says: ␛\[2J very/);
  for (const part of shown) if (!part.endsWith("\n")) assert.ok([...part].length <= 40, part);
  assert.ok(tty.text.endsWith("\r\u001b[2K"));
});

test("O1 on a terminal lines are grouped by step, repeats are counted in place, and colours can be refused", () => {
  const show = (noColor: string): string => {
    const tty = sink(true, 60);
    const output = new Output({ json: false, stdout: tty, stderr: sink(false), term: "xterm", noColor });
    const progress = createProgress(output, () => undefined);
    for (let round = 0; round < 3; round += 1) {
      progress.event(signals({ kind: "tool_call", name: "bash", args: "npm test" }));
      progress.event(signals({ kind: "tool_result", name: "bash", ok: false, text: "1 failed" }));
    }
    progress.event(record({ type: "StepSucceeded", data: { step: "work", attempt: "work#1" } }));
    progress.close();
    return tty.text;
  };
  assert.deepEqual(screenOf(show("1")), [
    "── work",
    "00:00:00  #1: calls bash npm test ×3",
    "00:00:00  #1: result of bash: error 1 failed ×3",
    "00:00:00  done",
  ]);
  const colours = new RegExp(`${ESCAPE}\\[[\\d;]*m`, "g");
  assert.doesNotMatch(show("1"), colours);
  assert.ok(show("").includes(`${ESCAPE}[32m00:00:00  done${ESCAPE}[0m`));
  assert.deepEqual(screenOf(show("").replaceAll(colours, "")), screenOf(show("1")));
});

/** What a terminal shows of text with our two codes: erase the line, go up. */
function screenOf(text: string): string[] {
  const rows = [""];
  let row = 0;
  const parts = new RegExp(`\\r${ESCAPE}\\[2K|${ESCAPE}\\[1A|\\n|[^\\r\\n${ESCAPE}]+`, "g");
  for (const [part] of text.matchAll(parts)) {
    if (part === "\n") row += 1;
    else if (part.startsWith(ESCAPE)) row -= 1;
    else if (part.startsWith("\r")) rows[row] = "";
    else rows[row] = `${rows[row] ?? ""}${part}`;
  }
  return rows.filter((line) => line !== "");
}

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

for (const type of [
  "BaseNoted",
  "BodyDrew",
  "BodySpent",
  "BodyStepIntended",
  "CopyDropped",
  "EffectIntended",
  "GateAsked",
  "NoticeQueued",
  "ProtectedFilesStirred",
  "RunStarted",
  "WorkspaceFreed",
  "WorkspaceHeld",
] as const)
  test(`O1 progress does not show ${type}, which is only book-keeping`, () => {
    assert.deepEqual(progressLines(record({ type, data: EXAMPLES[type] } as RunEvent)), []);
  });

test("O1 book-keeping is not shown to somebody who watches, and a flood of signals is cut", () => {
  assert.deepEqual(progressLines(record({ type: "RunStarted", data: {} })), []);
  assert.deepEqual(progressLines(signals({ kind: "ready" }, { kind: "usage", tokensIn: 1 })), []);
  const flood = progressLines(
    signals(...Array.from({ length: 100 }, (): Signal => ({ kind: "progress", text: "x" }))),
  );
  assert.equal(flood.length, 21);
  assert.match(flood[0] ?? "", /80 more signals before these/);
});

test("O1 the status line says the last words where nothing else is known", () => {
  assert.equal(
    statusLine(undefined, { last: "work#1: says\u0007: hello", used: "" }),
    "work#1: says␇: hello",
  );
});

test("G3 a damaged journal is shown as a blocked run with the command that shows more", () => {
  const fault = new Fault("journal_damaged", "event 3 of r does not match its hash", { details: { seq: 3 } });
  const text = statusLines(damagedStatusView({ run: "r" }, fault, "sqlite:/my store.db")).join("\n");
  assert.match(text, /blocked {3,}journal_damaged: event 3 of r/);
  assert.match(text, /go on {3,}holdfast salvage r --store 'sqlite:\/my store\.db'/);
  assert.match(text, /advice {3,}restore the store from a backup/);
});

test("G3 J2 a run with a damaged journal shows the goal and times that its listing has, and makes none up", () => {
  const fault = new Fault("journal_damaged", "event 3 of r does not match its hash", { details: { seq: 3 } });
  const listed = { run: "r", goal: "mend it", createdAt: 86_400_000, updatedAt: 172_800_000 };
  const { goal, createdAt, updatedAt } = damagedStatusView(listed, fault, null);
  assert.deepEqual(
    [goal, createdAt, updatedAt],
    ["mend it", "1970-01-02T00:00:00.000Z", "1970-01-03T00:00:00.000Z"],
  );
  const unlisted = damagedStatusView({ run: "r" }, fault, null);
  assert.deepEqual(
    [unlisted.goal, unlisted.createdAt, unlisted.updatedAt],
    ["unknown", "unknown", "unknown"],
  );
});

test("O1 tables are aligned, wide characters included, and times reported in their two largest units", () => {
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

test("A7 O1 calls, tokens, money and context are shown as they come, and money only where an agent reports it", () => {
  const plain = sink(false);
  const progress = createProgress(outputTo(plain), () => undefined);
  progress.event(
    signals({ kind: "tool_call", name: "edit" }, { kind: "usage", tokensIn: 900, tokensOut: 50 }),
  );
  progress.event(signals({ kind: "context", usedPct: 41.6 }));
  progress.event(signals({ kind: "usage", tokensIn: 11_000, tokensOut: 450, usd: 0.031 }));
  progress.event(signals({ kind: "message", from: "agent", text: "hello" }));
  progress.close();
  const reported = plain.text.split("\n").flatMap((line) => /so far: (.*)$/.exec(line)?.[1] ?? []);
  assert.deepEqual(reported, [
    "1 call · 950 tokens",
    "1 call · 950 tokens · context 42 %",
    "1 call · 12.4k tokens · $0.0310 · context 42 %",
  ]);
  const tty = sink(true, 200);
  const live = createProgress(outputTo(tty), () => STATE);
  live.event(signals({ kind: "usage", tokensIn: 2_000_000, usd: 1.5 }, { kind: "tool_call", name: "edit" }));
  live.close();
  assert.match(tty.text, /1 call · 2\.0M tokens · \$1\.50/);
  const json = sink(true);
  const quiet = createProgress(outputTo(json, true), () => undefined);
  quiet.event(signals({ kind: "usage", tokensIn: 5 }));
  quiet.close();
  assert.equal(json.text, "");
});

test("A7 the context of an attempt that has ended is no longer shown", () => {
  const meter = new UsageMeter();
  meter.observe(signals({ kind: "context", usedPct: 90 }));
  assert.equal(meter.text(), "context 90 %");
  meter.observe(
    record({
      type: "AttemptEnded",
      data: { attempt: "work#1", outcome: "interrupted", charged: false, why: "paused" },
    }),
  );
  assert.equal(meter.text(), "");
});

test("O1 a result in which no step said anything is not shown to people", () => {
  assert.equal(resultText({ "verify-again": null }), null);
  assert.equal(resultText({ build: null, verify: "done" }), '{"build":null,"verify":"done"}');
  assert.equal(resultText({}), "{}");
  assert.equal(resultText([null]), "[null]");
});
