import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import { flowProblems } from "../../../src/model/flow/flow-problems.ts";
import type { RequestAnswer, RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const DIGEST = "a".repeat(64);
const OTHER = "b".repeat(64);

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

const flowWith = (gate: object) =>
  flowSchema.parse({
    name: "two-phases",
    steps: [
      { name: "design", task: "t", agent: "dev", phase: "first" },
      { name: "build", task: "t", agent: "dev", phase: "first", needs: ["design"] },
      { name: "ship", task: "t", agent: "dev", phase: "second" },
      { name: "beside", task: "t", agent: "dev" },
    ],
    phases: [{ name: "first", gate }, { name: "second" }],
  });

function begun(gate: object, settings: object = {}): RunState {
  const data = {
    ...EXAMPLES.RunCreated,
    flow: flowWith({ name: "release", kind: "approval", ...gate }),
    settings: runSettingsSchema.parse(settings),
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  return state;
}

/** The live attempt of a step starts, succeeds and ends. */
function work(state: RunState, step: string, now: number): RunEvent[] {
  const id = state.steps[step]?.live;
  assert.ok(typeof id === "string", `${step} is not at work`);
  const started: RunEvent = {
    type: "EffectSettled",
    data: { key: `${id}/StartAgent`, outcome: { kind: "done" } },
  };
  return takeTurn(
    state,
    [
      started,
      {
        type: "SignalsHeard",
        data: {
          attempt: id,
          cursor: "9",
          signals: [
            { kind: "result", ok: true, text: "done" },
            { kind: "exit", how: "code", code: 0 },
          ],
        },
      },
    ],
    now,
  );
}

const snapshot = (digest: string, changed?: number) => ({
  id: `s-${digest.slice(0, 4)}`,
  digest,
  files: 1,
  branch: null,
  commit: null,
  skipped: 0,
  ...(changed === undefined ? {} : { changed }),
});

/** The look at the files that is under way ends with that. */
function looked(state: RunState, digest: string, now: number, changed?: number): RunEvent[] {
  const [key] = Object.entries(state.effects).find(([, { kind }]) => kind === "TakeCheckpoint") ?? [];
  assert.ok(key !== undefined, "no look is under way");
  const outcome = { kind: "done", snapshot: snapshot(digest, changed) } as const;
  return takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], now);
}

const evidence = (verdict: Evidence["verdict"]): Evidence => ({
  command: "deploy",
  verdict,
  exitCode: verdict === "pass" ? 0 : 7,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: "no route to host",
  durationMs: 5,
});

function ran(state: RunState, verdict: Evidence["verdict"], now: number): RunEvent[] {
  const [key] = Object.entries(state.effects).find(([, { kind }]) => kind === "RunAtGate") ?? [];
  assert.ok(key !== undefined, "nothing is run at the gate");
  const outcome = { kind: "done", evidence: evidence(verdict) } as const;
  return takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], now);
}

let asked = 0;
function ask(
  state: RunState,
  request: RunRequest,
  now: number,
): { answer: RequestAnswer; events: RunEvent[] } {
  const requestId = `r${String((asked += 1))}`;
  const events = takeTurn(state, [{ type: "RequestHeard", data: { requestId, request, by: "cli" } }], now);
  const [answered] = only(events, "RequestAnswered").filter((one) => one.requestId === requestId);
  assert.ok(answered !== undefined);
  return { answer: answered.answer, events };
}

/** A run whose first phase is done and whose gate has asked. */
function waiting(gate: object, settings: object = {}): RunState {
  const state = begun(gate, settings);
  work(state, "design", 2_000);
  work(state, "beside", 2_500);
  work(state, "build", 3_000);
  looked(state, DIGEST, 4_000);
  assert.equal(state.status, "awaiting_approval");
  return state;
}

test("G1 steps of a phase start when the phase before has passed its gate; steps without one by needs alone", () => {
  const state = begun({});
  assert.deepEqual(Object.keys(state.attempts), ["design#1"]);
  work(state, "design", 2_000);
  // One that writes is alone in its tree.
  assert.deepEqual(Object.keys(state.attempts), ["beside#1"]);
  work(state, "beside", 3_000);
  assert.equal(state.status, "running");
  assert.equal(state.steps["ship"]?.started, 0);
  work(state, "build", 4_000);
  const events = looked(state, DIGEST, 5_000);
  assert.deepEqual(only(events, "GateAsked"), [{ gate: "phase:first", digest: DIGEST, snapshot: "s-aaaa" }]);
  assert.equal(state.status, "awaiting_approval");
  assert.equal(state.blocked?.reason, "approval_transition");
  assert.deepEqual(recoveryArguments(state, state.blocked), [
    "approve",
    "run_1",
    "release",
    "--digest",
    "a".repeat(12),
  ]);
  const { answer } = ask(
    state,
    { kind: "approve", gate: "release", digest: "a".repeat(12), who: "anna" },
    6_000,
  );
  assert.equal(answer.kind, "done");
  const passed = looked(state, DIGEST, 7_000, 0);
  assert.deepEqual(only(passed, "GatePassed"), [{ gate: "phase:first", by: "anna", digest: DIGEST }]);
  assert.equal(state.steps["ship"]?.live, "ship#1");
  work(state, "ship", 8_000);
  assert.equal(state.status, "completed");
});

test("G4 what has changed since it was approved is asked again, and an old digest is refused with the new one", () => {
  const state = waiting({});
  ask(state, { kind: "approve" }, 5_000);
  const again = looked(state, OTHER, 6_000, 2);
  assert.deepEqual(
    only(again, "GateAsked").map(({ digest, again: is }) => [digest, is]),
    [[OTHER, true]],
  );
  assert.match(state.blocked?.detail ?? "", /what was approved has changed since/);
  const old = ask(state, { kind: "approve", gate: "release", digest: DIGEST }, 7_000).answer;
  assert.ok(old.kind === "refused");
  assert.match(old.text, /aaaaaaaaaaaa was shown, and it is bbbbbbbbbbbb now/);
  assert.equal(state.status, "awaiting_approval");
  ask(state, { kind: "approve", digest: OTHER }, 8_000);
  assert.equal(only(looked(state, OTHER, 9_000, 0), "GatePassed").length, 1);
});

test("G4 a second yes to the same question changes nothing, and never counts for the next gate", () => {
  const state = waiting({}, { approve: { completion: true } });
  const click: RunRequest = { kind: "approve", gate: "release", digest: DIGEST, who: "anna" };
  ask(state, click, 5_000);
  const second = ask(state, click, 5_100);
  assert.match(second.answer.text, /approved already: the gate "release" was approved by anna/);
  assert.equal(only(second.events, "GateApproved").length, 0);
  looked(state, DIGEST, 6_000, 0);
  work(state, "ship", 7_000);
  looked(state, OTHER, 8_000);
  assert.equal(state.blocked?.reason, "approval_completion");
  assert.match(ask(state, click, 9_000).answer.text, /approved already/);
  assert.equal(state.status, "awaiting_approval");
  ask(state, { kind: "approve" }, 10_000);
  looked(state, OTHER, 11_000, 0);
  assert.equal(state.status, "completed");
});

test("G4 a refusal re-opens the steps named, and all that depends on them, with the note", () => {
  const state = waiting({ rework: ["design"] });
  const { events } = ask(state, { kind: "reject", note: "the error is not handled", who: "anna" }, 5_000);
  assert.deepEqual(
    only(events, "GateRejected").map(({ rework }) => rework),
    [["design"]],
  );
  assert.deepEqual(
    only(events, "StepReset")
      .map(({ step }) => step)
      .sort(),
    ["build", "design"],
  );
  const [start] = only(events, "EffectIntended");
  assert.ok(start?.effect.kind === "StartAgent" && start.effect.step === "design");
  assert.match(start.effect.task, /the error is not handled/);
  work(state, "design", 6_000);
  work(state, "build", 7_000);
  looked(state, OTHER, 8_000);
  assert.equal(state.blocked?.digest, OTHER);
});

test("G4 without targets a refusal goes to the last steps of the phase", () => {
  const state = waiting({});
  const { events } = ask(state, { kind: "reject", note: "no" }, 5_000);
  assert.deepEqual(
    only(events, "StepReset").map(({ step }) => step),
    ["build"],
  );
});

test("G4 an action that fails blocks with the approval as its remedy, and keeps what was approved", () => {
  const state = waiting({ action: { run: "deploy" } });
  ask(state, { kind: "approve", who: "anna" }, 5_000);
  looked(state, DIGEST, 6_000, 0);
  ran(state, "fail", 7_000);
  assert.equal(state.blocked?.reason, "gate_action_failed");
  assert.match(state.blocked?.detail ?? "", /`deploy` ended with exit code 7: no route to host/);
  assert.deepEqual(recoveryArguments(state, state.blocked ?? assert.fail()).slice(0, 3), [
    "approve",
    "run_1",
    "release",
  ]);
  assert.equal(state.gates["phase:first"]?.approval?.by, "anna");
  assert.equal(ask(state, { kind: "approve", digest: DIGEST, who: "bert" }, 8_000).answer.kind, "done");
  looked(state, DIGEST, 9_000, 0);
  const passed = ran(state, "pass", 10_000);
  assert.equal(only(passed, "GatePassed").length, 1);
});

test("G4 an action that was under way when its supervisor was gone is not run again by itself", () => {
  const state = waiting({ action: { run: "deploy" } });
  ask(state, { kind: "approve" }, 5_000);
  looked(state, DIGEST, 6_000, 0);
  const claimed: RunEvent = { type: "RunClaimed", data: { owner: "o", epoch: 2, from: "gone" } };
  const events = takeTurn(state, [claimed], 7_000);
  assert.equal(only(events, "EffectIntended").filter(({ effect }) => effect.kind === "RunAtGate").length, 0);
  assert.equal(state.blocked?.reason, "gate_action_failed");
  assert.match(state.blocked?.detail ?? "", /whether it was done is not known/);
});

test("G4 a gate's own checks come first, send the work back, and at last ask a person", () => {
  const state = begun({ checks: [{ run: "lint" }] }, { checks: { tries: 2 } });
  work(state, "design", 2_000);
  work(state, "beside", 2_500);
  work(state, "build", 3_000);
  const first = ran(state, "fail", 4_000);
  assert.deepEqual(
    only(first, "GateChecked").map(({ rework }) => rework),
    [["build"]],
  );
  work(state, "build", 5_000);
  ran(state, "fail", 6_000);
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.equal(ask(state, { kind: "approve" }, 6_500).answer.kind, "refused");
  assert.equal(ask(state, { kind: "retry" }, 7_000).answer.kind, "done");
  ran(state, "pass", 8_000);
  looked(state, DIGEST, 9_000);
  assert.equal(state.status, "awaiting_approval");
});

test("G4 a gate of evidence opens when its checks pass, and asks nobody", () => {
  const state = begun({ kind: "evidence", checks: [{ run: "lint" }] });
  work(state, "design", 2_000);
  work(state, "beside", 2_500);
  work(state, "build", 3_000);
  assert.equal(only(ran(state, "pass", 4_000), "GatePassed").length, 1);
  assert.equal(state.steps["ship"]?.live, "ship#1");
});

test("G4 an approval by policy is given where it is declared, and on record", () => {
  const state = begun({ auto: true });
  work(state, "design", 2_000);
  work(state, "beside", 2_500);
  work(state, "build", 3_000);
  const events = looked(state, DIGEST, 4_000);
  assert.deepEqual(only(events, "GateApproved"), [{ gate: "phase:first", digest: DIGEST, by: "policy" }]);
  assert.equal(only(events, "GatePassed")[0]?.by, "policy");
});

/** A run whose first phase is done, of steps of low risk, and whose gate has looked at that much work. */
function weighed(auto: object, work_: object | undefined, more: object = {}): RunEvent[] {
  const spec = { name: "release", kind: "approval", auto, ...more };
  const flow = flowWith(spec);
  const risky = { ...flow, steps: flow.steps.map((step) => ({ ...step, risk: "low" as const })) };
  const data = { ...EXAMPLES.RunCreated, flow: risky, settings: runSettingsSchema.parse({}) };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  for (const [at, step] of ["design", "beside", "build"].entries()) work(state, step, 2_000 + at * 500);
  const [key] = Object.entries(state.effects).find(([, { kind }]) => kind === "TakeCheckpoint") ?? [];
  const facts = { ...snapshot(DIGEST), ...(work_ === undefined ? {} : { work: work_ }) };
  const outcome = { kind: "done", snapshot: facts } as EventData<"EffectSettled">["outcome"];
  return takeTurn(state, [{ type: "EffectSettled", data: { key: key ?? "", outcome } }], 4_000);
}

const WORK = { files: ["docs/a.md", "docs/deep/b.md"], count: 2, lines: 30, binary: 0 };

test("G4 a gate approves by itself where all its conditions hold: paths, files, lines, risk; the record says what was found", () => {
  const events = weighed({ paths: ["docs/*"], filesMax: 2, linesMax: 30, risk: "low" }, WORK);
  const [approved] = only(events, "GateApproved");
  assert.deepEqual([approved?.by, approved?.policy?.met], ["policy", true]);
  assert.deepEqual(
    approved?.policy?.findings.map(({ condition, met }) => [condition, met]),
    [
      ["paths", true],
      ["filesMax", true],
      ["linesMax", true],
      ["risk", true],
    ],
  );
  assert.equal(only(events, "GatePassed")[0]?.by, "policy");
});

test("G4 where a condition does not hold, or is not known, a person is asked and sees which", () => {
  const cases: readonly (readonly [object, object | undefined, RegExp])[] = [
    [{ paths: ["docs/deep/*"] }, WORK, /docs\/a\.md is not within docs\/deep\/\*/],
    [{ filesMax: 1 }, WORK, /2 of at most 1 files were changed/],
    [{ linesMax: 29 }, WORK, /30 of at most 29 lines were changed/],
    [{ linesMax: 90 }, { ...WORK, binary: 1 }, /1 binary files/],
    [{ paths: ["*"] }, { ...WORK, count: 5_000 }, /more than are looked at/],
    [{ paths: ["*"] }, undefined, /what was changed is not known/],
    [{ checks: "passed" }, WORK, /nothing has checked the work of design, build/],
  ];
  for (const [auto, found, expected] of cases) {
    const events = weighed(auto, found);
    assert.equal(only(events, "GateApproved").length, 0, JSON.stringify(auto));
    assert.match(only(events, "RunBlocked")[0]?.blocked.detail ?? "", expected);
    assert.equal(only(events, "GateAsked")[0]?.policy?.met, false);
  }
});

test("G4 a step without a risk label, or with a higher one, is not approved by a condition on risk", () => {
  const unlabelled = begun({ auto: { risk: "high" } });
  for (const [at, step] of ["design", "beside", "build"].entries()) work(unlabelled, step, 2_000 + at * 500);
  looked(unlabelled, DIGEST, 4_000);
  assert.match(unlabelled.blocked?.detail ?? "", /the step design has no risk label/);
});

test("G4 with dryRun, and at a credentialed gate, a person is asked although all conditions hold", () => {
  const dry = weighed({ paths: ["docs/*"], dryRun: true }, WORK);
  assert.equal(only(dry, "GateApproved").length, 0);
  assert.match(only(dry, "RunBlocked")[0]?.blocked.detail ?? "", /would have approved it \(dryRun\)/);
  const credentialed = weighed({ paths: ["docs/*"] }, WORK, { credentialed: true });
  assert.equal(only(credentialed, "GateApproved").length, 0);
});

test("G4 what is weighed is what was changed since the gate before, or since the run's first checkpoint", () => {
  const spec = (auto: object) => begun({ auto });
  const lookOf = (state: RunState): string | undefined => {
    for (const [at, step] of ["design", "beside", "build"].entries()) work(state, step, 2_000 + at * 500);
    const look = Object.values(state.effects).find(({ kind }) => kind === "TakeCheckpoint");
    return look?.kind === "TakeCheckpoint" ? look.weigh : undefined;
  };
  assert.equal(lookOf(spec({ risk: "low" })), undefined);
  const state = spec({ paths: ["docs/*"] });
  const taken = { ...EXAMPLES.CheckpointTaken, checkpoint: "c1", tree: state.workspace.root };
  evolve(state, { type: "CheckpointTaken", data: taken }, { run: "run_1", seq: 2, at: 1_500 });
  assert.equal(lookOf(state), taken.snapshot.id);
});

const HOUR = 3_600_000;

test("G4 a reminder comes as often as the gate says, and the run goes on waiting", () => {
  const notify = { channels: { mail: { use: "command", command: ["mail"] } } };
  const state = waiting({ expiry: { afterMs: HOUR, then: "remind" } }, { notify });
  assert.equal(isAtRest(state, 4_000 + HOUR), false);
  for (const nth of [1, 2]) {
    const events = takeTurn(state, [], 4_000 + nth * HOUR);
    assert.deepEqual(only(events, "GateExpired"), [{ gate: "phase:first", then: "remind", nth }]);
    assert.deepEqual(
      only(events, "NoticeQueued").map(({ notice }) => notice.kind),
      ["reminder"],
    );
  }
  assert.equal(state.status, "awaiting_approval");
});

test("G4 an approval that nobody gives in time goes to an operator, and can still be given", () => {
  const state = waiting({ expiry: { afterMs: HOUR, then: "escalate" } });
  const [before] = Object.values(state.escalations);
  assert.equal(before?.owner, "human");
  assert.equal(nextDeadline(state, 5_000), 4_000 + HOUR);
  takeTurn(state, [], 4_000 + HOUR);
  const open = Object.values(state.escalations);
  assert.deepEqual(
    open.map(({ owner }) => owner),
    ["operator"],
  );
  assert.notEqual(open[0]?.id, before?.id);
  assert.deepEqual(only(takeTurn(state, [], 9 * HOUR), "GateExpired"), []);
  assert.equal(ask(state, { kind: "approve" }, 9 * HOUR).answer.kind, "done");
});

test("G4 an approval that nobody gives in time cancels the run, where the gate says so", () => {
  const state = waiting({ expiry: { afterMs: HOUR, then: "cancel" } });
  takeTurn(state, [], 4_000 + HOUR - 1);
  assert.equal(state.status, "awaiting_approval");
  takeTurn(state, [], 4_000 + HOUR);
  assert.equal(state.status, "cancelled");
  assert.equal(state.stop, "timeout");
});

test("G4 an approval that nobody gives in time goes on where the gate says so, and never at a credentialed one", () => {
  const state = waiting({ expiry: { afterMs: HOUR, then: "go_on" } });
  const events = takeTurn(state, [], 4_000 + HOUR);
  assert.equal(only(events, "GateApproved")[0]?.by, "expiry");
  looked(state, DIGEST, 5_000 + HOUR, 0);
  assert.equal(state.steps["ship"]?.live, "ship#1");
  const held = waiting({ expiry: { afterMs: HOUR, then: "go_on" }, credentialed: true, auto: true });
  assert.deepEqual(only(takeTurn(held, [], 4_000 + HOUR), "GateApproved"), []);
  assert.equal(held.status, "awaiting_approval");
});

test("G4 a credentialed gate takes no agent's word, and a gate for some people no other's", () => {
  const state = waiting({ credentialed: true, approvers: ["anna", "agent:design#1"] });
  const agent = ask(state, { kind: "approve", who: "agent:design#1" }, 5_000).answer;
  assert.ok(agent.kind === "refused");
  assert.match(agent.text, /opened by people alone/);
  const other = ask(state, { kind: "approve", who: "bert" }, 6_000).answer;
  assert.ok(other.kind === "refused");
  assert.match(other.text, /is for anna, agent:design#1, and not for bert/);
  assert.equal(ask(state, { kind: "approve", who: "anna" }, 7_000).answer.kind, "done");
});

test("G4 a step that is worked again after its gate was passed closes it, and what came after waits", () => {
  const state = waiting({});
  ask(state, { kind: "approve" }, 5_000);
  looked(state, DIGEST, 6_000, 0);
  evolve(
    state,
    { type: "StepReset", data: { step: "build" } },
    { run: "run_1", seq: state.seq + 1, at: 7_000 },
  );
  assert.equal(state.gates["phase:first"]?.passed, false);
  assert.equal(state.steps["ship"]?.needsLeft, 1);
});

test("G4 W6 work that is given out again after its gate's action failed is not approved before it is shown", () => {
  const state = waiting({ action: { run: "deploy" } });
  ask(state, { kind: "approve", who: "anna" }, 5_000);
  looked(state, DIGEST, 6_000, 0);
  ran(state, "fail", 7_000);
  assert.equal(ask(state, { kind: "reissue", reason: "drift", step: "build" }, 8_000).answer.kind, "done");
  assert.deepEqual([state.status, state.gates["phase:first"]?.approval], ["running", null]);
  const early = ask(state, { kind: "approve", gate: "release", digest: DIGEST }, 9_000).answer;
  assert.equal(early.kind, "refused");
  work(state, "build", 10_000);
  looked(state, OTHER, 11_000);
  assert.equal(state.blocked?.reason, "approval_transition");
  assert.equal(state.blocked.digest, OTHER);
});

test("G4 a yes is refused where the work of a blocked gate is being done again", () => {
  const state = waiting({ action: { run: "deploy" } });
  ask(state, { kind: "approve", who: "anna" }, 5_000);
  looked(state, DIGEST, 6_000, 0);
  ran(state, "fail", 7_000);
  evolve(
    state,
    { type: "StepReset", data: { step: "build" } },
    { run: "run_1", seq: state.seq + 1, at: 8_000 },
  );
  const { answer } = ask(state, { kind: "approve" }, 9_000);
  assert.match(answer.text, /refused: what the gate "release" is about is being worked again/);
});

test("G4 the plan waits for a yes before it is worked, where that is asked for", () => {
  const flow = flowSchema.parse({
    name: "planned",
    steps: [
      { name: "plan", task: "t", agent: "dev" },
      { name: "work", task: "t", agent: "dev", needs: ["plan"] },
    ],
  });
  const settings = runSettingsSchema.parse({ approve: { plan: true } });
  const data = { ...EXAMPLES.RunCreated, flow, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  work(state, "plan", 2_000);
  looked(state, DIGEST, 3_000);
  assert.equal(state.blocked?.gate, "plan");
  ask(state, { kind: "approve" }, 4_000);
  looked(state, DIGEST, 5_000, 0);
  assert.equal(state.steps["work"]?.live, "work#1");
});

test("G1 gates that contradict themselves are found before the run", () => {
  const problems = (gate: object): string =>
    flowProblems(flowWith({ name: "release", kind: "approval", ...gate }), { dev: { use: "demo" } })
      .map(({ problem }) => problem)
      .join("\n");
  assert.equal(problems({}), "");
  assert.match(problems({ auto: true, credentialed: true }), /never opens by itself/);
  assert.match(
    problems({ credentialed: true, expiry: { afterMs: 1, then: "go_on" } }),
    /expected remind, escalate or cancel/,
  );
  assert.match(problems({ auto: { filesMax: 3 }, credentialed: true }), /never opens by itself/);
  assert.throws(() => problems({ auto: {} }), /expected at least one of paths, filesMax/);
  assert.match(problems({ kind: "evidence" }), /neither it nor a step of the phase has a check/);
  assert.match(problems({ kind: "evidence", checks: [{ run: "x" }], auto: true }), /auto is for approvals/);
  assert.match(problems({ rework: ["nobody"] }), /sends back to "nobody", which is no step/);
});

test("G3 G4 what waits for somebody can be escalated: an operator is notified, and the command that helps stays", () => {
  const state = waiting({});
  const before = state.blocked;
  const { answer, events } = ask(state, { kind: "escalate", note: "I am away" }, 5_000);
  assert.equal(answer.kind, "done");
  assert.equal(state.status, "awaiting_approval");
  assert.deepEqual([state.blocked?.reason, state.blocked?.owner], [before?.reason, "operator"]);
  assert.match(state.blocked?.detail ?? "", /escalated by cli: I am away/);
  assert.equal(only(events, "EscalationRaised")[0]?.escalation.owner, "operator");
  const again = ask(state, { kind: "escalate", note: "hello?" }, 6_000);
  assert.match(again.answer.kind === "refused" ? again.answer.text : "", /with an operator already/);
  assert.equal(ask(state, { kind: "approve" }, 7_000).answer.kind, "done");
});
