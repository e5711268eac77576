import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../../src/decide/decide.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { FlowRun, only } from "../flow-run.ts";
import { blockedBy, given } from "../states.ts";

const started: RunEvent = { type: "RunStarted", data: {} };
const noted: RunEvent = { type: "CheckpointTaken", data: EXAMPLES.CheckpointTaken };
const handoff: RunRequest = {
  kind: "handoff",
  to: "expert",
  spec: { use: "demo", script: "hello" },
  reason: "it is stuck",
  files: ["src/a.ts"],
};

function asked(state: RunState, request: RunRequest): RunEvent[] {
  const received = { type: "RequestHeard", data: { requestId: "r1", request, by: "cli" } } as const;
  return takeTurn(state, [received], state.at + 1, decide);
}

const refusal = (events: readonly RunEvent[]): string | null => {
  const [answer] = events.flatMap((event) => (event.type === "RequestAnswered" ? [event.data.answer] : []));
  return answer?.kind === "refused" ? answer.text : null;
};

test("W4 a blocked step that is handed over goes on with the other agent, which is given what was before", () => {
  const state = given(started, noted, blockedBy({ reason: "stuck" }));
  const events = asked(state, handoff);
  assert.equal(refusal(events), null);
  const [over] = events.flatMap((event) => (event.type === "HandedOver" ? [event.data] : []));
  assert.deepEqual([over?.from, over?.to, over?.reason], ["dev", "expert", "it is stuck"]);
  assert.deepEqual(Object.keys(over?.record ?? {}).sort(), [
    "agent",
    "branch",
    "commit",
    "files",
    "pending",
    "progress",
    "questions",
    "task",
  ]);
  const [start] = events.flatMap((event) =>
    event.type === "EffectIntended" && event.data.effect.kind === "StartAgent" ? [event.data.effect] : [],
  );
  assert.equal(start?.agent, "expert");
  assert.match(start.task, /this task was dev's before[^]*files changed: src\/a\.ts[^]*branch main at 0c/);
  assert.deepEqual(
    state.handOvers.map(({ from, to, reason }) => [from, to, reason]),
    [["dev", "expert", "it is stuck"]],
  );
});

test("W4 a session at work is ended before the other agent begins", () => {
  const state = given(started, { type: "AttemptStarted", data: EXAMPLES.AttemptStarted });
  const events = asked(state, handoff);
  assert.equal(refusal(events), null);
  assert.ok(events.some(({ type, data }) => type === "AttemptEnding" && data.to === "sent_back"));
  assert.ok(!events.some(({ type }) => type === "AttemptStarted"));
  assert.equal(state.steps["work"]?.spec.agent, "expert");
});

test("W4 a hand-over is refused by name for a step that is not open, and for an agent that means another", () => {
  const unknown = asked(given(started), { ...handoff, step: "nothing" });
  assert.match(refusal(unknown) ?? "", /no open step "nothing"; its open steps are work/);
  const other = asked(given(started), { ...handoff, to: "dev", spec: { use: "claude" } });
  assert.match(refusal(other) ?? "", /the run has another agent "dev"/);
});

test("W4 G4 a gate asks again when a failed step that it has asked about is handed over", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      { name: "build", task: "t", phase: "first" },
      { name: "mend", task: "t", phase: "first", when: { step: "build", status: "failed" } },
    ],
    phases: [{ name: "first", gate: { name: "release", kind: "approval" } }],
  });
  const looked = (digest: string): void => {
    const snapshot = { id: digest, digest, files: 1, branch: null, commit: null, skipped: 0 };
    run.settle("TakeCheckpoint", { kind: "done", snapshot });
  };
  run.fail("build");
  run.end("mend");
  looked("a".repeat(64));
  assert.equal(run.state.blocked?.reason, "approval_transition");
  asked(run.state, { ...handoff, step: "build" });
  assert.equal(run.state.blocked?.reason, undefined);
  assert.equal(run.state.status, "running");
  assert.equal(run.state.gates["phase:first"]?.asked, null);
  run.end("build");
  looked("b".repeat(64));
  assert.equal(run.state.blocked?.digest, "b".repeat(64));
  assert.equal(only(run.events, "GateAsked").length, 2);
});

test("W4 a paused run is resumed with another agent in one decision", () => {
  const state = given(started, noted, { type: "RunPaused", data: { stop: "operator" } });
  assert.equal(state.status, "paused");
  const events = asked(state, { ...handoff, kind: "resume" });
  assert.equal(refusal(events), null);
  assert.equal(state.status, "running");
  const start = events.flatMap((event) =>
    event.type === "EffectIntended" && event.data.effect.kind === "StartAgent" ? [event.data.effect] : [],
  );
  assert.deepEqual(
    start.map(({ agent }) => agent),
    ["expert"],
  );
});

test("W4 a resume with an agent for a step that is over is refused, and the run stays paused", () => {
  const state = given(started, noted, { type: "RunPaused", data: { stop: "operator" } });
  const events = asked(state, { ...handoff, kind: "resume", step: "nothing" });
  assert.match(refusal(events) ?? "", /has no open step "nothing"/);
  assert.equal(state.status, "paused");
});
