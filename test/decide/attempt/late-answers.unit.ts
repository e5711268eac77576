import assert from "node:assert/strict";
import { test } from "node:test";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { toExcerpt, type Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

/** A run of one step whose agent was started, with what happened to it. */
function atWork(): { state: RunState; turn: (...received: RunEvent[]) => RunEvent[] } {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "acp" as const } } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  let now = 1_000;
  const turn = (...signals: RunEvent[]): RunEvent[] => takeTurn(state, signals, (now += 1_000));
  turn();
  turn({ type: "EffectSettled", data: { key: "work#1/StartAgent", outcome: { kind: "done" } } });
  return { state, turn };
}

const received = (...signals: Signal[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "1", signals },
});
const asks = (askId: string, what: string): RunEvent => received({ kind: "permission", askId, what });
let requests = 0;
const asked = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `req_${String((requests += 1))}`, request, by: "ann" },
});
const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);
const given = (events: readonly RunEvent[]): string[] =>
  only(events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "AnswerPermission" ? [`${effect.askId}: ${String(effect.allow)}`] : [],
  );
const refusal = (events: readonly RunEvent[]): string => {
  const [answer] = only(events, "RequestAnswered").map((one) => one.answer);
  return answer?.kind === "refused" ? answer.text : "";
};

test("A9 an answer to a permission that is not asked any more is refused by name, and never given to the next one", () => {
  for (const kind of ["approve", "reject"] as const) {
    const { state, turn } = atWork();
    turn(asks("p1", "rm -r build"));
    const command = recoveryArguments(state, state.blocked ?? assert.fail("nothing is asked"));
    assert.deepEqual(command, ["approve", "run_1", "--for", "run_1.e1"]);
    // Somebody answers in the program itself, and it asks for something else.
    turn(received({ kind: "answered", askId: "p1" }));
    turn(asks("p2", "rm -r src"));
    assert.deepEqual(Object.keys(state.escalations), ["run_1.e2"]);
    const late = turn(asked({ kind, note: "ok", escalation: "run_1.e1" }));
    assert.deepEqual(given(late), []);
    assert.match(
      refusal(late),
      /"run_1\.e1" is not open any more; asked now is run_1\.e2 \(.*rm -r src.*approve run_1 --for run_1\.e2/,
    );
    const right = turn(asked({ kind, note: "ok", escalation: "run_1.e2" }));
    assert.deepEqual(given(right), [`p2: ${String(kind === "approve")}`]);
    const again = turn(asked({ kind, note: "ok", escalation: "run_1.e2" }));
    assert.deepEqual(given(again), []);
    assert.notEqual(refusal(again), "");
  }
});

test("A9 where the one who asked has ended nothing is asked any more, and an answer is refused", () => {
  const { state, turn } = atWork();
  turn(asks("p1", "rm -r build"));
  assert.equal(state.status, "awaiting_approval");
  turn(received({ kind: "exit", how: "signal", signal: "SIGKILL" }));
  turn();
  assert.equal(state.status, "running");
  const late = turn(asked({ kind: "approve", escalation: "run_1.e1" }));
  assert.deepEqual(given(late), []);
  assert.notEqual(refusal(late), "");
});

test("A9 an approval that was kept is not given to another request whose beginning is the same", () => {
  const { state, turn } = atWork();
  const long = (end: string): string => toExcerpt(`${"x".repeat(9_000)}${end}`);
  assert.equal(long("a"), long("b"));
  turn();
  const step = state.steps["work"] ?? assert.fail("no step");
  step.permitted = [{ what: long("a"), allow: true }];
  const events = turn(asks("p1", long("b")));
  assert.deepEqual(given(events), []);
  assert.equal(state.status, "awaiting_approval");
});
