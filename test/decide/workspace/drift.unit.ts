import assert from "node:assert/strict";
import { test } from "node:test";
import { unsafeBecause } from "../../../src/decide/workspace/decide-drift.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { HeadFacts } from "../../../src/model/state/drift.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const OLD = "a".repeat(40);
const NEW = "b".repeat(40);
const head = (more: Partial<HeadFacts> = {}): HeadFacts => ({
  branch: "main",
  commit: NEW,
  relation: "forward",
  files: ["file"],
  count: 1,
  ...more,
});

/** A run of one step whose base is watched, before its first look. */
function watched(): RunState {
  const settings = runSettingsSchema.parse({ drift: { when: "always", everyMs: 1_000 } });
  const data = { ...EXAMPLES.RunCreated, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1);
  return state;
}

function seen(state: RunState, facts: HeadFacts, now: number): RunEvent[] {
  const [key] = Object.entries(state.effects).find(([, { kind }]) => kind === "LookAtHead") ?? [];
  assert.ok(key !== undefined, "nobody looks");
  return takeTurn(
    state,
    [{ type: "EffectSettled", data: { key, outcome: { kind: "done", head: facts } } }],
    now,
  );
}

const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

test("W6 no agent begins before it is known what its work builds on", () => {
  const state = watched();
  assert.deepEqual(Object.keys(state.attempts), []);
  const events = seen(state, head({ commit: OLD, relation: "same" }), 2);
  assert.ok(types(events).includes("BaseNoted") && types(events).includes("AttemptStarted"));
  assert.deepEqual(state.drift.base, { branch: "main", commit: OLD });
});

test("W6 a base that moves under an agent is shown with the command, and looked at again and again", () => {
  const state = watched();
  seen(state, head({ commit: OLD, relation: "same" }), 2);
  takeTurn(state, [], 1_500);
  seen(state, head(), 1_501);
  assert.equal(state.status, "running");
  const { drift } = statusView(state, null);
  assert.equal(drift?.command, "holdfast reconcile run_1 --accept-head");
  assert.match(drift.text, /main went from aaaaaaaaaaaa to bbbbbbbbbbbb, 1 files/);
  takeTurn(state, [], 3_000);
  assert.deepEqual(types(seen(state, head(), 3_001)), ["EffectSettled"], "known already");
  takeTurn(state, [], 5_000);
  seen(state, head({ commit: OLD, relation: "same", files: [], count: 0 }), 5_001);
  assert.equal(statusView(state, null).drift, null, "it went back by itself");
});

test("W7 a person who switches to another branch at the same commit is reported, and the run stops; what an agent switches is its own", () => {
  const state = watched();
  seen(state, head({ commit: OLD, relation: "same" }), 2);
  assert.deepEqual(Object.keys(state.attempts), ["work#1"]);
  takeTurn(state, [], 1_500);
  seen(state, head({ branch: "feature", commit: OLD, relation: "same", files: [], count: 0 }), 1_501);
  assert.deepEqual([state.status, state.drift.base?.branch], ["running", "feature"], "an agent is at work");

  const alone = watched();
  alone.drift.base = { branch: "main", commit: OLD };
  seen(alone, head({ branch: "other", commit: OLD, relation: "same", files: [], count: 0 }), 2);
  assert.equal(alone.blocked?.reason, "operator_commit_refused");
  assert.match(alone.blocked.detail, /HEAD was on main and is on other now/);
});

test("W6 a look that fails is no drift: it is tried again, and then agents begin without", () => {
  const state = watched();
  for (const nth of [1, 2, 3]) {
    const found = Object.keys(state.effects).find((name) => name.includes("LookAtHead"));
    assert.ok(found !== undefined, "nobody looks");
    const outcome = { kind: "failed", text: "no", terminal: false } as const;
    takeTurn(state, [{ type: "EffectSettled", data: { key: found, outcome } }], nth + 1);
  }
  assert.deepEqual(Object.keys(state.attempts), ["work#1"]);
});

test("W7 only commits on top, on the same branch, that leave Holdfast's own files alone are safe", () => {
  const base = { branch: "main", commit: OLD };
  assert.equal(unsafeBecause(base, head()), null);
  assert.match(unsafeBecause(base, head({ relation: "apart" })) ?? "", /history was rewritten/);
  assert.match(unsafeBecause(base, head({ relation: "back" })) ?? "", /history was rewritten/);
  assert.match(unsafeBecause(base, head({ relation: "unknown" })) ?? "", /is not known/);
  assert.match(unsafeBecause(base, head({ branch: "other" })) ?? "", /was on main and is on other/);
  assert.match(
    unsafeBecause(base, head({ files: [".holdfast/flows/x.yaml"] })) ?? "",
    /Holdfast's own: \.holdfast/,
  );
  assert.match(unsafeBecause(base, head({ files: ["holdfast.yaml"] })) ?? "", /Holdfast's own/);
});
