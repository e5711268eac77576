import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Bindings } from "../../../src/model/flow/bindings.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const OLD = { use: "demo", script: "old" } as const;
const NEW = { use: "demo", script: "new", model: "x" } as const;
const EVERY_MS = 1_000;

/** A run of one step that its agent is at work on, as its files told. */
function atWork(): RunState {
  const settings = runSettingsSchema.parse({ drift: { when: "auto", everyMs: EVERY_MS } });
  const step = {
    name: "work",
    task: "t",
    agent: "writer",
    needs: [],
    authority: "writes" as const,
    checks: [],
  };
  const data = {
    ...EXAMPLES.RunCreated,
    settings,
    flow: { name: "f", steps: [step], phases: [] },
    agents: { writer: OLD },
    source: { config: "/p/holdfast.yaml", agents: ["writer"], flow: "/p/f.yaml" },
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1);
  assert.deepEqual(Object.keys(state.attempts), ["work#1"]);
  return state;
}

const written = (
  more: Partial<Bindings["steps"][string]> = {},
  spec: Bindings["agents"][string] = OLD,
): Bindings => ({
  agents: { writer: spec, other: NEW },
  steps: { work: { agent: "writer", authority: "writes", ...more } },
});

function seen(state: RunState, bindings: Bindings, now: number): RunEvent[] {
  takeTurn(state, [], now);
  const key = Object.keys(state.effects).find((name) => name.includes("LookAtBindings"));
  assert.ok(key !== undefined, "nobody looks");
  return takeTurn(
    state,
    [{ type: "EffectSettled", data: { key, outcome: { kind: "done", bindings } } }],
    now + 1,
  );
}

const ask = (state: RunState, reason: "rebinding" | "authority", now: number): RunEvent[] =>
  takeTurn(
    state,
    [{ type: "RequestHeard", data: { requestId: "r1", request: { kind: "reissue", reason }, by: "x" } }],
    now,
  );

test("W6 files that say what they said are no drift, and are looked at only while agents work", () => {
  const state = atWork();
  takeTurn(state, [], 500);
  assert.equal(
    Object.keys(state.effects).some((key) => key.includes("LookAtBindings")),
    false,
  );
  const events = seen(state, written(), EVERY_MS + 1);
  assert.equal(
    events.some(({ type }) => type === "BindingDriftFound"),
    false,
  );
  assert.deepEqual(statusView(state, null).bindings, []);
});

test("W6 an agent that the configuration binds otherwise is shown with its command, and goes again by itself", () => {
  const state = atWork();
  seen(state, written({}, NEW), EVERY_MS + 1);
  assert.deepEqual(statusView(state, null).bindings, [
    {
      step: "work",
      kind: "rebinding",
      text: "the agent writer of work is bound otherwise now: model, script",
      command: "holdfast reissue run_1 --step work --reason rebinding",
    },
  ]);
  seen(state, written(), 3 * EVERY_MS);
  assert.deepEqual(statusView(state, null).bindings, []);
});

test("W6 a step that the flow gives to another agent, or another authority, is reported as each", () => {
  const state = atWork();
  seen(state, written({ agent: "other", authority: "reviews" }), EVERY_MS + 1);
  assert.deepEqual(
    statusView(state, null).bindings.map(({ kind, text }) => [kind, text]),
    [
      ["rebinding", "work is bound to other now, not to writer"],
      ["authority", "the authority of work is reviews now, not writes"],
    ],
  );
});

test("W6 reissue is one act: the session at work ends as it was started, and the next one begins as it is written now", () => {
  const state = atWork();
  takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "work#1/StartAgent", outcome: { kind: "done" } } }],
    2,
  );
  seen(state, written({ authority: "reviews" }, NEW), EVERY_MS + 1);
  const events = ask(state, "rebinding", 2 * EVERY_MS);
  const reported = events.find(({ type }) => type === "StepsReissued");
  assert.ok(reported?.type === "StepsReissued");
  assert.deepEqual(reported.data.rebound, [
    { step: "work", agent: "writer.2", named: "writer", spec: NEW, authority: "reviews" },
  ]);
  const ends = Object.values(state.effects).flatMap((effect) =>
    effect.kind === "EndAgent" ? [effect.spec] : [],
  );
  assert.deepEqual(ends, [OLD]);
  const { spec } = state.steps["work"] ?? {};
  assert.deepEqual([spec?.agent, spec?.authority], ["writer.2", "reviews"]);
  assert.deepEqual([state.agents["writer"], state.agents["writer.2"]], [OLD, NEW]);
  assert.deepEqual(statusView(state, null).bindings, []);
});

test("W6 P4 a file that cannot be read is no drift: the run continues as it was started, and names the file", () => {
  const state = atWork();
  takeTurn(state, [], EVERY_MS + 1);
  const key = Object.keys(state.effects).find((name) => name.includes("LookAtBindings")) ?? "";
  const outcome = { kind: "failed", text: "gone", terminal: false } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], EVERY_MS + 2);
  assert.deepEqual(state.binding.found, []);
  assert.deepEqual(
    statusView(state, null).bindings.map(({ kind, command }) => [kind, command.split(" ", 2).join(" ")]),
    [["unreadable", "holdfast validate"]],
  );
  assert.equal(
    Object.keys(state.effects).some((name) => name.includes("LookAtBindings")),
    false,
  );
});

test("G3 W6 retry uses the agent as its files bind it now, and says what changed", () => {
  const state = atWork();
  const failed = { kind: "failed", text: "the program is not found", terminal: true } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key: "work#1/StartAgent", outcome: failed } }], 2);
  assert.equal(state.blocked?.reason, "dispatch_error");
  const request = { kind: "retry", step: "work", bindings: written({}, NEW) } as const;
  const events = takeTurn(
    state,
    [{ type: "RequestHeard", data: { requestId: "r1", request, by: "x" } }],
    1_000,
  );
  const answer = events.flatMap((event) =>
    event.type === "RequestAnswered" ? [event.data.answer.text] : [],
  );
  assert.deepEqual(answer, [
    "the run continues; tried again: work; changed in its files, and used from now on: the agent writer of work is bound otherwise now: model, script",
  ]);
  const starts = Object.values(state.effects).flatMap((effect) =>
    effect.kind === "StartAgent" ? [effect.spec] : [],
  );
  assert.deepEqual(starts, [NEW]);
});

test("G3 W6 retry with files that cannot be read uses what was recorded, and says so", () => {
  const state = atWork();
  const failed = { kind: "failed", text: "the program is not found", terminal: true } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key: "work#1/StartAgent", outcome: failed } }], 2);
  const request = { kind: "retry", unread: "holdfast.yaml is gone" } as const;
  const events = takeTurn(
    state,
    [{ type: "RequestHeard", data: { requestId: "r1", request, by: "x" } }],
    1_000,
  );
  const [answer] = events.flatMap((event) => (event.type === "RequestAnswered" ? [event.data.answer] : []));
  assert.match(answer?.text ?? "", /could not be read again \(holdfast\.yaml is gone\)/);
  assert.equal(
    events.some(({ type }) => type === "StepsRebound"),
    false,
  );
});
