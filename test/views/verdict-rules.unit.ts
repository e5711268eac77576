import assert from "node:assert/strict";
import { test } from "node:test";
import { assessTrace, type TraceVerdict } from "../../src/views/assess/assess-trace.ts";
import type { TraceEvent } from "../../src/views/assess/trace-event.ts";

/** Each rule, and what looks like it and is healthy. */

const SECOND = 1_000;
type Seen = Readonly<Record<string, unknown>> & { readonly kind: string; readonly afterMs?: number };

function assess(events: readonly Seen[], { timed = true, restMs = 0 } = {}): TraceVerdict {
  let now = 0;
  const trace = events.map(({ afterMs = 5 * SECOND, ...event }): TraceEvent => {
    now += afterMs;
    return { ...event, t_ms: now };
  });
  return assessTrace(trace, { timed, zone: "UTC", evaluatedAtMs: now + restMs });
}
const call = (args: string, more: object = {}): Seen => ({ kind: "tool_call", name: "bash", args, ...more });
const result = (text: string, more: object = {}): Seen => ({
  kind: "tool_result",
  name: "bash",
  result: text,
  ok: true,
  ...more,
});
const says = (text: string): Seen => ({ kind: "assistant", text });
const error = (text: string): Seen => ({ kind: "error", text });
const step = (args: string, text: string, more: object = {}): Seen[] => [call(args), result(text, more)];
const times = (count: number, events: (nth: number) => readonly Seen[]): Seen[] =>
  Array.from({ length: count }, (_one, nth) => events(nth)).flat();
const word = (nth: number): string => String.fromCharCode(97 + nth).repeat(6);
const isBad = ({ health }: TraceVerdict): boolean => health === "stuck" || health === "crashed";

test("L1 a recording without results that ends in a call waits for that call, and not for a person", () => {
  const seen = [says("Let me look."), ...times(3, (nth) => [call(`cat ${word(nth)}`)])];
  const { health, evidence } = assess(seen, { restMs: 60 * SECOND });
  assert.equal(health, "waiting");
  assert.match(evidence[0] ?? "", /waits for a tool: bash cat cccccc/);
});

test("L1 a recording without results whose last call never ends is stuck once any tool would have ended", () => {
  const { health, pattern } = assess([call("make")], { restMs: 70 * 60 * SECOND });
  assert.deepEqual([health, pattern], ["stuck", "timeout"]);
});

test("L3 a recording without results that ends in a message has said its last word", () => {
  const { health, evidence } = assess([call("ls"), says("All is done.")], { restMs: 600 * SECOND });
  assert.equal(health, "waiting");
  assert.match(evidence[0] ?? "", /its last word/);
});

test("L2 an agent that says it stops is not in a loop any more, and is again with the next same call", () => {
  const loop = times(5, () => step("ls", "a b"));
  assert.equal(assess(loop).health, "stuck");
  for (const stop of [
    "I cannot find the file, so I stop here.",
    "This does not work. I am giving up.",
    "I was unable to proceed: the tool keeps failing. I will stop now and report.",
  ]) {
    const stopped = assess([...loop, says(stop)]);
    assert.deepEqual([stopped.health, stopped.first_flagged_event], ["waiting", 7], stop);
    assert.equal(assess([...loop, says(stop), ...step("ls", "a b")]).health, "stuck", stop);
  }
});

test("L2 an agent that stops something else, or means to go on, is still in its loop", () => {
  const loop = times(5, () => step("ls", "a b"));
  for (const text of [
    "I will stop the server and list again.",
    "I can stop here only when the file is there. Let me list it again.",
    "Let me try once more.",
  ])
    assert.equal(assess([...loop, says(text)]).health, "stuck", text);
});

test("L3 calls that come again after a provider's stream broke are no loop", () => {
  const broken = { kind: "system", name: "stream_retry" };
  const replayed = [...times(3, () => step("ls", "a b")), broken, ...times(2, () => step("ls", "a b"))];
  assert.equal(isBad(assess(replayed)), false);
  const blind = [
    ...times(4, () => [call("ls")]),
    error("stream disconnected"),
    ...times(3, () => [call("ls")]),
  ];
  assert.equal(isBad(assess(blind)), false);
  const named = times(8, () => [call("ls", { call_id: "one" })]);
  assert.equal(isBad(assess(named)), false);
});

test("L2 a broken stream excuses no loop for ever", () => {
  const broken = { kind: "system", name: "stream_retry" };
  assert.equal(
    assess([...times(3, () => step("ls", "a b")), broken, ...times(9, () => step("ls", "a b"))]).health,
    "stuck",
  );
  assert.equal(assess(times(8, () => [...step("ls", "a b"), error("stream disconnected")])).health, "stuck");
});

test("L2 eight errors of an agent in a row, all different, are an error loop", () => {
  const seen = times(8, (nth) => [error(`${word(nth)} could not be ${word(nth + 9)}`)]);
  const { health, pattern } = assess(seen);
  assert.deepEqual([health, pattern], ["stuck", "error_loop"]);
  assert.equal(isBad(assess(seen.slice(0, 7))), false);
});

test("L3 errors with calls between them that succeed are none", () => {
  const seen = times(20, (nth) => [
    error(`${word(nth)} could not be read`),
    ...step(`cat ${word(nth)}`, word(nth)),
  ]);
  assert.equal(isBad(assess(seen)), false);
});

test("L2 eight commands in a row that read like different failures are an error loop, though none is marked", () => {
  const unmarked = { ok: undefined };
  const seen = times(8, (nth) =>
    step(`${word(nth)} --run`, `bash: ${word(nth)}: command not found`, unmarked),
  );
  const { health, pattern } = assess(seen);
  assert.deepEqual([health, pattern], ["stuck", "error_loop"]);
  const relieved = [...seen.slice(0, 12), ...step("which node", "/usr/bin/node"), ...seen.slice(12)];
  assert.equal(isBad(assess(relieved)), false);
});

test("L3 files that speak of failures are read, and are no failures", () => {
  const seen = times(12, (nth) => [
    { kind: "tool_call", name: "read_file", args: { path: `logs/${word(nth)}.log` } },
    { kind: "tool_result", name: "read_file", result: `${word(nth)}: command not found` },
  ]);
  assert.equal(isBad(assess(seen)), false);
});

test("L1 a model that takes five minutes for each call, 0.2 a minute, is degraded and not stuck", () => {
  const slow = times(6, (nth) => [
    call(`cat ${word(nth)}`, { afterMs: 300 * SECOND }),
    result(word(nth), { afterMs: SECOND }),
  ]);
  const seen = [{ kind: "user", text: "do it" }, ...slow];
  const { health, evidence } = assess(seen, { restMs: 100 * SECOND });
  assert.equal(health, "degraded");
  assert.match(evidence[0] ?? "", /0\.2 calls a minute/);
});

test("L3 long calls, and a person who takes their time, are no slow model", () => {
  const compiles = times(6, (nth) => [
    call(`make ${word(nth)}`),
    result(word(nth), { afterMs: 600 * SECOND }),
  ]);
  assert.equal(assess(compiles, { restMs: 100 * SECOND }).health, "waiting");
  const talks = times(6, (nth) => [
    { kind: "user", text: `and ${word(nth)}?`, afterMs: 900 * SECOND },
    ...step(`cat ${word(nth)}`, word(nth)),
    says(`It is ${word(nth)}.`),
  ]);
  assert.equal(isBad(assess(talks)), false);
  assert.notEqual(assess(talks).health, "degraded");
});
