import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(3);

const bench = new CliBench();
after(() => bench.close());

const loop = (rounds: number): object[] =>
  Array.from({ length: rounds }, (_none, round) => [
    { t_ms: 2_000 * round, kind: "tool_call", name: "bash", args: { command: "ls" } },
    { t_ms: 2_000 * round + 1_000, kind: "tool_result", name: "bash", result: "a b", ok: true },
  ]).flat();
const lines = (...rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

test("L10 assess checks a recorded trace without any store, for people and as JSON", async () => {
  bench.write("loop.jsonl", lines(...loop(5)));
  const reported = await bench.call(["assess", "loop.jsonl"]);
  assert.deepEqual([reported.code, reported.stderr], [0, ""]);
  assert.match(reported.stdout, /^stuck \(tool_loop\), 10 events\n {2}bash .*4 times in a row/);
  const json = await bench.call(["assess", "loop.jsonl", "--json"]);
  const verdict = JSON.parse(json.stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(verdict), [
    "health",
    "pattern",
    "first_flagged_event",
    "cleared_event",
    "confidence",
    "evidence",
  ]);
  assert.deepEqual([verdict["health"], verdict["first_flagged_event"]], ["stuck", 7]);
});

test("L10 a batch gives one verdict per line, flags and file in any order, packed or from standard input", async () => {
  const rows = lines(
    { id: "a", events: loop(5), timing: "nominal" },
    { id: "b", events: loop(2), evaluated_at_ms: 90_000_000, timing: "nominal" },
    {
      id: "c",
      events: [{ t_ms: 0, kind: "user", result: "go" }],
      evaluated_at_ms: 3_600_000,
      timing_is_real: true,
    },
  );
  writeFileSync(path.join(bench.cwd, "rows.jsonl.gz"), gzipSync(rows));
  const { code, stdout, stderr } = await bench.call(["assess", "rows.jsonl.gz", "--batch"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const verdicts = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; health: string; pattern: string | null });
  assert.deepEqual(
    verdicts.map(({ id, health, pattern }) => [id, health, pattern]),
    [
      ["a", "stuck", "tool_loop"],
      ["b", "healthy", null],
      ["c", "stuck", "no_progress"],
    ],
  );
});

test("L4 assess --text says whether terminal text reports a limit, and when it ends", async () => {
  bench.write(
    "text.jsonl",
    lines({ id: 1, text: "Weekly limit reached ∙ resets 3pm (UTC)" }, { id: 2, text: "good rate limiting" }),
  );
  const { code, stdout } = await bench.call([
    "assess",
    "--now",
    "2026-07-01T12:00:00Z",
    "--text",
    "text.jsonl",
  ]);
  assert.equal(code, 0);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
    [
      {
        id: 1,
        rate_limited: true,
        phase: "hard",
        resets_at: "2026-07-01T15:00:00.000Z",
        retry_after_s: null,
      },
      { id: 2, rate_limited: false, phase: null, resets_at: null, retry_after_s: null },
    ],
  );
});

test("P4 a trace that cannot be read is reported with its line, the value and what was expected", async () => {
  bench.write("bad.jsonl", '{"t_ms":0,"kind":"user"}\n\nnot json\n');
  const bad = await bench.call(["assess", "bad.jsonl"]);
  assert.deepEqual([bad.code, bad.stdout], [2, ""]);
  assert.match(
    bad.stderr,
    /^holdfast: bad\.jsonl, line 3: is no JSON \(not json\); expected one JSON object per line\n$/,
  );
  bench.write("time.jsonl", '{"t_ms":"soon","kind":"user"}\n');
  assert.match(
    (await bench.call(["assess", "time.jsonl"])).stderr,
    /line 1: has "t_ms" "soon"; expected a number/,
  );
  bench.write("empty.jsonl", "\n");
  assert.match((await bench.call(["assess", "empty.jsonl"])).stderr, /holds no event/);
  const missing = await bench.call(["assess", "nowhere.jsonl"]);
  assert.deepEqual(
    [missing.code, missing.stderr],
    [4, "holdfast: there is no file nowhere.jsonl; expected a trace, one JSON object per line\n"],
  );
  const when = await bench.call(["assess", "bad.jsonl", "--now", "soon"]);
  assert.match(when.stderr, /--now soon is no time; expected ISO 8601/);
});

test("P4 in a batch a bad line costs itself alone, and the exit code shows it", async () => {
  bench.write(
    "mixed.jsonl",
    `${lines({ id: "a", events: loop(5) })}{"id": "b"}\n${lines({ id: "c", events: [{ kind: "user" }] }, { id: "d", events: [] })}`,
  );
  const { code, stdout, stderr } = await bench.call(["assess", "--batch", "mixed.jsonl"]);
  assert.equal(code, 2);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id),
    ["a", "d"],
  );
  assert.match(stderr, /line 2: is no case; expected/);
  assert.match(stderr, /line 3: event 0 has "t_ms" missing; expected a number of milliseconds/);
});
