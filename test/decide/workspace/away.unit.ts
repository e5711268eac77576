import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtRest } from "../../../src/decide/decide.ts";
import { effectsToPerform } from "../../../src/decide/attempt/quarantine.ts";
import { hasFiles, homeElsewhere, isBack } from "../../../src/decide/workspace/away.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { given } from "../states.ts";

const one = { id: "host_1", name: "one" };
const two = { id: "host_2", name: "two" };

const claimed = (home: typeof one, epoch: number, away?: true): RunEvent => ({
  type: "RunClaimed",
  data: { owner: `o${String(epoch)}`, epoch, from: "gone", home, ...(away && { away }) },
});

/** At work on the first host, which then is gone; the second one takes the run. */
function lost(): RunState {
  const state = given(
    claimed(one, 1),
    { type: "RunStarted", data: {} },
    { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
    {
      type: "EffectIntended",
      data: {
        key: "work#1/EndAgent",
        effect: {
          kind: "EndAgent",
          attempt: "work#1",
          session: "run_1.work.1",
          spec: { use: "demo" },
          why: "x",
          graceMs: 1,
        } as never,
      },
    },
  );
  takeTurn(state, [claimed(two, 2, true)], 20_000);
  return state;
}

const asked = (state: RunState, request: RunRequest): EventData<"RequestAnswered">["answer"] => {
  const received = { type: "RequestHeard", data: { requestId: "q", request, by: "ada" } } as const;
  const events = takeTurn(state, [received], 30_000);
  const answer = events.find(({ type }) => type === "RequestAnswered");
  assert.ok(answer?.type === "RequestAnswered");
  return answer.data.answer;
};

test("F2 a run is worked by the host that has its files, and by any before it has some", () => {
  const fresh = given(claimed(one, 1));
  assert.deepEqual([hasFiles(fresh), homeElsewhere(fresh, two)], [false, null]);
  const begun = given(claimed(one, 1), { type: "AttemptStarted", data: EXAMPLES.AttemptStarted });
  assert.deepEqual([homeElsewhere(begun, one), homeElsewhere(begun, two)], [null, one]);
  const unknown = given({ type: "AttemptStarted", data: EXAMPLES.AttemptStarted });
  assert.equal(homeElsewhere(unknown, two), null, "an owner of an earlier version did not say");
});

test("F2 where its host is gone a run is blocked by name, and nothing of it is touched, charged or ended", () => {
  const state = lost();
  assert.deepEqual([state.status, state.blocked?.reason], ["blocked", "host_lost"]);
  assert.match(state.blocked?.detail ?? "", /the files of the run are on one, which is gone/);
  assert.deepEqual(Object.keys(state.attempts), ["work#1"]);
  assert.equal(state.steps["work"]?.charged, 0);
  assert.deepEqual(effectsToPerform(state), {});
  assert.equal(isAtRest(state, 1e9), true);
});

test("F2 the run continues when its host is back, with what was open there", () => {
  const state = lost();
  assert.deepEqual([isBack(state, one), isBack(state, two)], [true, false]);
  evolve(state, claimed(one, 3), { run: "run_1", seq: state.seq + 1, at: 40_000 });
  takeTurn(state, [], 40_000);
  assert.deepEqual([state.status, state.blocked, state.claim.waits], ["running", null, undefined]);
  assert.ok(Object.hasOwn(state.attempts, "work#1"));
  assert.ok(Object.hasOwn(effectsToPerform(state), "work#1/EndAgent"));
});

test("F2 what needs its files is refused with where they are; cancel ends it, and retry starts it over, uncharged", () => {
  const refused = asked(lost(), { kind: "restore" });
  assert.equal(refused.kind, "refused");
  assert.match(
    refused.text,
    /on one, which is gone; start Holdfast there, or start the run over on two: holdfast retry/,
  );

  const ended = lost();
  assert.equal(asked(ended, { kind: "cancel" }).kind, "done");
  assert.equal(ended.status, "cancelled");

  const over = lost();
  const answer = asked(over, { kind: "retry" });
  assert.match(answer.text, /started over on two: what was done in \S+ stays on one/);
  assert.deepEqual([over.status, over.claim.home, over.claim.away], ["running", two, undefined]);
  assert.equal(over.steps["work"]?.charged, 0);
  assert.equal(over.workspace.worktree, null);
});

test("F2 a run is not started over where what it needs is missing", () => {
  const state = lost();
  state.claim = { ...state.claim, missing: ["the folder /work does not exist on two"] };
  const answer = asked(state, { kind: "retry" });
  assert.equal(answer.kind, "refused");
  assert.match(answer.text, /two cannot start it over: the folder \/work does not exist on two/);
});
