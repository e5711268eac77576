import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, isAtRest } from "../../src/decide/decide.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../src/fold/evolve.ts";
import { backoffMs } from "../../src/decide/attempt/decide-attempt.ts";
import { recoveryArguments } from "../../src/decide/recovery/recovery.ts";
import { recoveryChoices } from "../../src/decide/recovery/recovery-choices.ts";
import { fingerprint } from "../../src/fold/attempt/class-of-error.ts";
import { BLOCKED_REASONS, type BlockedReason } from "../../src/model/requests/blocked.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { flowProblems } from "../../src/model/flow/flow-problems.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { EXAMPLES } from "../model/example-events.ts";
import { given } from "./states.ts";

const started: RunEvent[] = [
  { type: "RunClaimed", data: EXAMPLES.RunClaimed },
  { type: "RunStarted", data: {} },
  { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
  { type: "EffectIntended", data: EXAMPLES.EffectIntended },
  { type: "EffectSettled", data: EXAMPLES.EffectSettled },
];
const received = (...signals: Signal[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "9", signals },
});
const types = (events: RunEvent[]): string[] => events.map((event) => event.type);
const ended = (events: RunEvent[]) => {
  const [first] = events;
  assert.ok(first?.type === "AttemptEnded", `expected AttemptEnded, found ${String(first?.type)}`);
  return first.data;
};

test("A5 exit code 0 without the agent's own word of success is not success", () => {
  const state = given(...started, received({ kind: "exit", how: "code", code: 0 }));
  const { outcome, charged, failure } = ended(decide(state, state.at));
  assert.deepEqual([outcome, charged, failure?.class], ["failed", true, "contract_missed"]);
});

test("A5 a claim of success with a failing exit is not success", () => {
  const claim: Signal = { kind: "result", ok: true, text: "done" };
  const state = given(...started, received(claim, { kind: "exit", how: "code", code: 1 }));
  assert.equal(ended(decide(state, state.at)).outcome, "crashed");
});

test("A4 a process that is gone without an exit status is a zombie, never a success", () => {
  const work: Signal = { kind: "message", from: "agent", text: "nearly done" };
  const state = given(...started, received(work, { kind: "exit", how: "vanished" }));
  assert.equal(ended(decide(state, state.at)).outcome, "zombie");
});

test("A4 an unknown finding changes nothing: neither death nor success", () => {
  const observed: RunEvent = {
    type: "SessionObserved",
    data: { attempt: "work#1", finding: "unknown", detail: "" },
  };
  const state = given(...started, observed);
  assert.deepEqual(decide(state, state.at), []);
});

test("A4 words about an attempt that has ended change nothing", () => {
  const done = given(...started, received({ kind: "exit", how: "code", code: 1 }));
  const over = decide(done, done.at).reduce<RunState>(
    (state, event) => evolve(state, event, { run: "run_1", seq: state.seq + 1, at: state.at }),
    done,
  );
  const before = JSON.stringify({ ...over, seq: 0 });
  evolve(over, received({ kind: "result", ok: true, text: "late" }), {
    run: "run_1",
    seq: over.seq + 1,
    at: over.at,
  });
  assert.equal(JSON.stringify({ ...over, seq: 0 }), before);
});

test("J4 a session that died with its supervisor is not charged; one that is simply gone is", () => {
  const gone: RunEvent = { type: "SessionObserved", data: EXAMPLES.SessionObserved };
  const sameOwner = given(...started, gone);
  assert.equal(ended(decide(sameOwner, sameOwner.at)).charged, true);
  const takenOver = given(
    ...started,
    { type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } },
    gone,
  );
  assert.equal(ended(decide(takenOver, takenOver.at)).charged, false);
});

test("L1 silence counts only while somebody listens: an owner that comes late waits again for the first output", () => {
  const state = given(...started);
  const late = state.at + 10 * 3_600_000;
  evolve(
    state,
    { type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } },
    { run: "run_1", seq: state.seq + 1, at: late },
  );
  assert.deepEqual(decide(state, late), []);
  const deadline = nextDeadline(state, late);
  assert.equal(deadline, late + 5_000);
  assert.deepEqual(types(decide(state, late + 5_000)), ["AttemptEnding"]);
});

test("G8 waits grow with full jitter below the ceiling and are the same for the same facts", () => {
  const state = given(...started);
  const waits = Array.from({ length: 200 }, (_, index) => backoffMs(state, `s${String(index)}`, 2));
  assert.ok(waits.every((wait) => wait >= 0 && wait <= 5_000));
  assert.ok(Math.max(...waits) > 4_000 && Math.min(...waits) < 1_000);
  assert.equal(backoffMs(state, "s1", 9), backoffMs(state, "s1", 9));
  assert.ok(backoffMs(state, "s1", 50) <= 8_000);
});

test("G8 failures that differ only in numbers and addresses have one fingerprint", () => {
  assert.equal(fingerprint("line 11301: 0xdeadbeef failed"), fingerprint("line 7: 0x1 failed"));
  assert.notEqual(fingerprint("disk full"), fingerprint("no such file"));
});

test("G3 every blocked reason has words to paste, complete with run and step", () => {
  for (const reason of BLOCKED_REASONS) {
    const blocked = { reason, detail: "", attemptKept: true, guidance: [] };
    const state = given();
    const words = recoveryArguments(state, { ...blocked, step: "work" });
    assert.ok(words.includes("run_1") || words.includes("run_1.e1"), `${reason} names no run`);
    const gaps = words.filter((word) => /^[A-Z]+$/.test(word));
    assert.deepEqual(gaps, [], `${reason} has a gap`);
    const without = recoveryArguments(state, blocked);
    assert.ok(!without.includes("--step"), `${reason} names a step that is not known`);
  }
});

test("G3 every blocked reason has choices without gaps or repetitions, the safe one first", () => {
  for (const reason of BLOCKED_REASONS)
    for (const step of ["work", undefined]) {
      const blocked = {
        reason,
        detail: "",
        attemptKept: true,
        guidance: [],
        ...(step === undefined ? {} : { step }),
      };
      const state = given();
      const choices = recoveryChoices(state, blocked);
      assert.deepEqual(choices[0]?.words, recoveryArguments(state, blocked), reason);
      assert.ok(choices.length > 1 && choices.every(({ does }) => does.length > 5), reason);
      assert.equal(new Set(choices.map(({ words }) => words.join(" "))).size, choices.length, reason);
      const gaps = choices.flatMap(({ words }) => words.filter((word) => /^[A-Z]+$/.test(word)));
      assert.deepEqual(gaps, [], `${reason} has a gap`);
    }
});

test("G3 G12 the safe command does nothing twice, answers what was asked, and passes no hook by", () => {
  const state = given(...started);
  const of = (reason: BlockedReason): string[] => {
    const blocked = { reason, detail: "", step: "work", attemptKept: true, guidance: [] };
    return recoveryChoices(state, blocked).map(({ words }) => words.join(" "));
  };
  const [look, again] = of("in_doubt");
  assert.deepEqual([look, again], ["why run_1", "retry run_1 --step work"]);
  assert.equal(of("needs_human")[0], "unblock run_1.e1 --note YOUR ANSWER");
  const [asksAgain, pastIt] = of("hook_block");
  assert.deepEqual([asksAgain, pastIt], ["retry run_1 --step work", "unblock run_1.e1"]);
});

test("G1 a flow that could never end is refused before it runs", () => {
  const step = (name: string, needs: string[]) => ({
    name,
    task: "t",
    agent: "dev",
    needs,
    authority: "writes" as const,
    checks: [],
  });
  const problems = (steps: ReturnType<typeof step>[]) =>
    flowProblems({ name: "f", steps, phases: [] }, { dev: { use: "demo" } }).map(({ problem }) => problem);
  assert.deepEqual(problems([step("a", []), step("b", ["a"])]), []);
  assert.match(problems([step("a", ["b"]), step("b", ["a"]), step("c", [])])[0] ?? "", /form a circle/);
  assert.match(problems([step("a", ["x"])])[0] ?? "", /no step/);
  assert.match(problems([step("a", []), step("a", [])])[0] ?? "", /two steps/);
});

test("G2 an owner lets go only when nothing lives and nothing is open", () => {
  assert.equal(isAtRest(given(...started), 0), false);
  assert.equal(isAtRest(given({ type: "RunPaused", data: { stop: "operator" } }), 0), true);
  assert.equal(
    isAtRest(
      given(
        { type: "RequestHeard", data: EXAMPLES.RequestHeard },
        { type: "RunPaused", data: { stop: "operator" } },
      ),
      0,
    ),
    false,
  );
});

test("G2 a retry of a step that is at work gives its attempts back and starts no second agent", () => {
  const state = given(...started, { type: "StepReset", data: { step: "work" } });
  assert.equal(state.steps["work"]?.status, "running");
  assert.deepEqual(decide(state, state.at), []);
});
