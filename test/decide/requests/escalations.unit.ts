import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { BLOCKED_REASONS } from "../../../src/model/requests/blocked.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { blockedBy } from "../states.ts";

const DAY = 24 * 3_600_000;
const settings = runSettingsSchema.parse({
  notify: {
    channels: {
      ops: { use: "command", command: ["true"] },
      web: { use: "webhook", url: "https://x.example" },
    },
  },
});

function run(...events: readonly RunEvent[]): RunState {
  const data = { ...EXAMPLES.RunCreated, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunStarted", data: {} }, ...events], 1_000);
  return state;
}

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

const asked = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `req_${request.kind}`, request, by: "ann" },
});

test("G5 a run that needs somebody raises one escalation, in the turn in which it blocks", () => {
  for (const reason of BLOCKED_REASONS) {
    const state = run(blockedBy({ reason }));
    assert.deepEqual(Object.keys(state.escalations), ["run_1.e1"], reason);
    assert.deepEqual(only(takeTurn(state, [], 2_000), "EscalationRaised"), [], `${reason} is raised again`);
  }
});

test("G5 every channel is notified once under an id that stays, with the command that helps", () => {
  const state = run(blockedBy({}));
  assert.deepEqual(Object.keys(state.notices), ["run_1.e1/ops", "run_1.e1/web"]);
  assert.equal(
    state.notices["run_1.e1/ops"]?.notice.command,
    "holdfast unblock run_1.e1 --note 'YOUR ANSWER'",
  );
  const sent = Object.values(state.effects).map((effect) =>
    effect.kind === "Notify" ? effect.id : effect.kind,
  );
  assert.deepEqual(sent, ["run_1.e1/ops", "run_1.e1/web"]);
});

test("G5 a notice that did not arrive is sent again under the same id, after a wait that grows", () => {
  const state = run(blockedBy({}));
  let now = 2_000;
  const waits: number[] = [];
  for (let nth = 1; nth <= 6; nth += 1) {
    const key = `run_1.e1/ops/Notify${nth === 1 ? "" : `.${String(nth)}`}`;
    assert.ok(Object.hasOwn(state.effects, key), `${key} is not intended`);
    const outcome = { kind: "failed", text: "500", terminal: false } as const;
    const [later] = only(
      takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], now),
      "NoticeRetryScheduled",
    );
    assert.equal(later?.id, "run_1.e1/ops");
    waits.push((later?.notBefore ?? 0) - now);
    now = later?.notBefore ?? now;
    takeTurn(state, [], now);
  }
  assert.ok(Math.max(...waits) > 30_000, `the waits do not grow: ${waits.join(", ")}`);
  assert.ok(waits.every((wait) => wait <= settings.notify.retryCapMs));
  const key = "run_1.e1/ops/Notify.7";
  takeTurn(state, [{ type: "EffectSettled", data: { key, outcome: { kind: "done" } } }], now);
  assert.deepEqual(Object.keys(state.notices), ["run_1.e1/web"]);
});

test("G5 a receiver that asks for time is given it, and one that is gone for good is not tried again", () => {
  const state = run(blockedBy({}));
  const outcome = { kind: "failed", text: "429", terminal: false, retryAfterMs: 1_200_000 } as const;
  const [later] = only(
    takeTurn(state, [{ type: "EffectSettled", data: { key: "run_1.e1/ops/Notify", outcome } }], 2_000),
    "NoticeRetryScheduled",
  );
  assert.ok((later?.notBefore ?? 0) >= 1_202_000);
  const gone = { kind: "failed", text: "410", terminal: true } as const;
  const events = takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "run_1.e1/web/Notify", outcome: gone } }],
    2_000,
  );
  assert.deepEqual(only(events, "NoticeDropped"), [{ id: "run_1.e1/web", why: "410" }]);
});

test("G5 a run at rest wakes for a notice that is due, and rests while none is", () => {
  const state = run(blockedBy({}));
  for (const channel of ["ops", "web"]) {
    const outcome = { kind: "failed", text: "500", terminal: false } as const;
    takeTurn(state, [{ type: "EffectSettled", data: { key: `run_1.e1/${channel}/Notify`, outcome } }], 2_000);
  }
  const due = nextDeadline(state, 2_000) ?? Infinity;
  assert.ok(due > 2_000 && due < DAY);
  assert.equal(isAtRest(state, due - 1), true);
  assert.equal(isAtRest(state, due), false);
});

test("G5 what stays open for a day is notified again", () => {
  const state = run(blockedBy({}));
  assert.deepEqual(only(takeTurn(state, [], DAY), "NoticeQueued"), []);
  const reported = only(takeTurn(state, [], 1_000 + DAY), "NoticeQueued");
  assert.deepEqual(
    reported.map(({ notice }) => [notice.id, notice.kind]),
    [
      ["run_1.e1/ops/r1", "reminder"],
      ["run_1.e1/web/r1", "reminder"],
    ],
  );
  assert.deepEqual(only(takeTurn(state, [], 2_000 + DAY), "NoticeQueued"), []);
});

test("G5 unblock settles the escalation, says who and why, and its notices are not sent any more", () => {
  const state = run(blockedBy({}));
  const events = takeTurn(
    state,
    [asked({ kind: "unblock", escalation: "run_1.e1", note: "port 80" })],
    5_000,
  );
  assert.deepEqual(only(events, "EscalationResolved"), [
    { id: "run_1.e1", how: "unblocked", by: "ann", note: "port 80" },
  ]);
  assert.equal(state.status, "running");
  assert.deepEqual(Object.keys(state.notices), ["run_1.e1/ops/resolved", "run_1.e1/web/resolved"]);
  const started = only(events, "EffectIntended").map(({ effect }) => effect);
  assert.ok(started.some((effect) => effect.kind === "StartAgent" && effect.task.includes("port 80")));
});

test("G5 an escalation that is not open is refused, and what is open is named", () => {
  const state = run(blockedBy({}));
  const [answer] = only(
    takeTurn(state, [asked({ kind: "unblock", escalation: "run_1.e9" })], 5_000),
    "RequestAnswered",
  );
  assert.equal(answer?.answer.kind, "refused");
  assert.match(answer?.answer.text ?? "", /"run_1\.e9" is not open; open are: run_1\.e1/);
  assert.equal(state.status, "blocked");
});

test("G5 another command that lets the run go on settles the escalation too, and the next block is a new one", () => {
  const state = run(blockedBy({ reason: "stuck" }));
  const events = takeTurn(state, [asked({ kind: "retry", step: "work" })], 5_000);
  assert.deepEqual(only(events, "EscalationResolved"), [{ id: "run_1.e1", how: "went_on", by: "holdfast" }]);
  takeTurn(state, [blockedBy({ reason: "stuck" })], 6_000);
  assert.deepEqual(Object.keys(state.escalations), ["run_1.e2"]);
  takeTurn(state, [asked({ kind: "cancel" })], 7_000);
  assert.deepEqual(Object.keys(state.escalations), []);
});

test("G4 an approval lets the run go on, a rejection sends the work back with its words", () => {
  const waiting = blockedBy({ reason: "approval_transition" });
  const yes = run(waiting);
  assert.equal(yes.status, "awaiting_approval");
  takeTurn(yes, [asked({ kind: "approve" })], 5_000);
  assert.equal(yes.status, "running");
  const no = run(waiting);
  const events = takeTurn(no, [asked({ kind: "reject", note: "the error is not handled" })], 5_000);
  const task = only(events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect.task] : [],
  );
  assert.match(task[0] ?? "", /the error is not handled/);
});

test("G4 approve is refused for what is no approval, and the right command is named", () => {
  const state = run(blockedBy({}));
  const [answer] = only(takeTurn(state, [asked({ kind: "approve" })], 5_000), "RequestAnswered");
  assert.match(answer?.answer.text ?? "", /expected holdfast unblock run_1\.e1/);
});

test("G10 waiting for a person is counted against no time limit", () => {
  const attempt: RunEvent[] = [
    { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
    { type: "EffectIntended", data: EXAMPLES.EffectIntended },
    { type: "EffectSettled", data: EXAMPLES.EffectSettled },
    { type: "SignalsHeard", data: { attempt: "work#1", cursor: "1", signals: [{ kind: "ready" }] } },
  ];
  const limitMs = settings.attempts.limitMs;
  const question: RunEvent = {
    type: "SignalsHeard",
    data: {
      attempt: "work#1",
      cursor: "1",
      signals: [{ kind: "blocked", reason: "needs_human", text: "which?" }],
    },
  };
  const state = run(...attempt, {
    type: "RunSettingsChanged",
    data: { changes: [{ key: "suspend.waitMs", to: 10 * limitMs }], by: "ann" },
  });
  takeTurn(state, [question], 3_000);
  assert.deepEqual(only(takeTurn(state, [], 3 * limitMs), "AttemptEnding"), []);
  takeTurn(state, [asked({ kind: "unblock", escalation: "run_1.e1" })], 3 * limitMs);
  assert.deepEqual(only(takeTurn(state, [], 4 * limitMs - 4_000), "AttemptEnding"), []);
  assert.equal(only(takeTurn(state, [], 4 * limitMs), "AttemptEnding").length, 1);
});

test("G9 a run whose budget is spent starts nothing more until it is raised far enough", () => {
  const usage: RunEvent = {
    type: "SignalsHeard",
    data: {
      attempt: "work#1",
      cursor: "1",
      signals: [
        { kind: "usage", usd: 6 },
        { kind: "exit", how: "code", code: 1 },
      ],
    },
  };
  const state = run({ type: "AttemptStarted", data: EXAMPLES.AttemptStarted }, usage);
  takeTurn(state, [], 60_000);
  assert.equal(state.blocked?.reason, "budget_exhausted");
  const [short] = only(
    takeTurn(state, [asked({ kind: "budget", budget: { usd: 6 } })], 61_000),
    "RequestAnswered",
  );
  assert.match(short?.answer.text ?? "", /\$6\.00 of .* is spent already/);
  takeTurn(state, [asked({ kind: "budget", budget: { usd: 12 } })], 62_000);
  assert.equal(state.status, "running");
  assert.deepEqual(decide(state, 62_000), []);
});
