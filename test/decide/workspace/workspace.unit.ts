import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { WorkspaceFacts } from "../../../src/model/effects/workspace-effects.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { fold, settle } from "./settle.ts";

const created = EXAMPLES.WorktreeCreated;
const evidence = EXAMPLES.WorkspaceCommandEnded.evidence;

/** A run that began with these settings of its place. */
function run(workspace: unknown): RunState {
  const settings = runSettingsSchema.parse({ workspace, commit: { when: "asked" } });
  const place = { run: "run_1", seq: 1, at: 0 };
  const state = evolve(null, { type: "RunCreated", data: { ...EXAMPLES.RunCreated, settings } }, place);
  fold(state, { type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody" } });
  return state;
}

/** The one effect that is open, done with that outcome. */
function outcome(state: RunState, result: EffectOutcome): RunEvent[] {
  const [key = ""] = Object.keys(state.effects);
  fold(state, { type: "EffectSettled", data: { key, outcome: result } });
  return settle(state);
}
const done = (state: RunState, place: WorkspaceFacts): RunEvent[] => outcome(state, { kind: "done", place });

const open = (state: RunState): string[] => Object.values(state.effects).map(({ kind }) => kind);
const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

test("W1 an agent begins once its worktree stands, its tree is held and its commands have passed, in that order", () => {
  const state = run({ isolation: "run", lock: "always", setup: "npm ci", run: "make ready" });
  settle(state);
  assert.deepEqual(open(state), ["CreateWorktree"]);
  done(state, { kind: "created", worktree: created });
  assert.deepEqual(Object.values(state.effects)[0], { kind: "HoldTree", tree: created.tree, wait: false });
  done(state, { kind: "held", epoch: 1 });
  const [setup] = Object.values(state.effects);
  assert.ok(setup?.kind === "RunInTree" && setup.part === "setup" && setup.cwd === created.cwd);
  assert.equal(setup.env["HOLDFAST_PORT"], "20000");
  assert.equal(setup.env["HOLDFAST_PORT_LAST"], "20009");
  done(state, { kind: "ran", evidence });
  done(state, { kind: "ran", evidence });
  const [start] = Object.values(state.effects);
  assert.ok(start?.kind === "StartAgent" && start.cwd === created.cwd);
  assert.equal(start.spec.env?.["HOLDFAST_BRANCH"], created.branch);
});

test("W1 a tree that another run holds is waited for, by name; nothing begins meanwhile, and a pause does not wait with it", () => {
  const state = run({ lock: "always" });
  settle(state);
  const said = done(state, { kind: "busy", by: "run_2" });
  assert.equal(said[0]?.type, "WorkspaceAwaited");
  assert.deepEqual(Object.values(state.effects)[0], { kind: "HoldTree", tree: state.cwd, wait: true });
  assert.equal(state.workspace.hold?.waitsFor, "run_2");
  fold(state, { type: "RunStopping", data: { to: "paused", stop: "operator" } });
  assert.ok(types(settle(state)).includes("RunPaused"));
  assert.deepEqual(open(state), []);
  fold(state, { type: "RunResumed", data: {} });
  settle(state);
  assert.deepEqual(open(state), ["HoldTree"]);
});

test("W1 the next owner of a run takes its tree again, also while an agent is at work there", () => {
  const state = run({ lock: "always" });
  settle(state);
  done(state, { kind: "held", epoch: 1 });
  assert.deepEqual(open(state), ["StartAgent"]);
  fold(state, { type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } });
  settle(state);
  assert.deepEqual(open(state).sort(), ["HoldTree", "StartAgent"]);
});

test("W1 G3 a setup that fails is not tried again before somebody has a say, and what it lacks is reported", () => {
  const state = run({ setup: "npm ci" });
  settle(state);
  const failed = { ...evidence, verdict: "fail" as const, exitCode: 7, excerpt: "x\nno such package\n" };
  const said = done(state, { kind: "ran", evidence: failed });
  const blocked = said.find(({ type }) => type === "RunBlocked");
  assert.ok(blocked?.type === "RunBlocked");
  assert.equal(blocked.data.blocked.reason, "dispatch_error");
  assert.match(blocked.data.blocked.detail, /setup command `npm ci` ended with exit code 7: no such package/);
  assert.deepEqual(open(state), []);
  fold(state, { type: "RunUnblocked", data: {} });
  settle(state);
  assert.deepEqual(open(state), ["RunInTree"]);
});

test("W1 a worktree that cannot be made is tried three times, then a person is asked", () => {
  const state = run({ isolation: "run" });
  settle(state);
  const fails = (): RunEvent[] => outcome(state, { kind: "failed", text: "no space", terminal: false });
  assert.deepEqual(types(fails()), ["EffectIntended"]);
  assert.deepEqual(types(fails()), ["EffectIntended"]);
  assert.equal(fails()[0]?.type, "RunBlocked");
  assert.match(state.blocked?.detail ?? "", /the worktree could not be made: no space/);
});

test("W1 W11 an ended run tears down, removes its worktree where that is wished, and lets go of its tree; what cannot be kept stays", () => {
  const state = run({ isolation: "run", lock: "always", setup: "up", teardown: "down", cleanup: "ended" });
  settle(state);
  done(state, { kind: "created", worktree: created });
  done(state, { kind: "held", epoch: 4 });
  done(state, { kind: "ran", evidence });
  for (const key of Object.keys(state.effects)) Reflect.deleteProperty(state.effects, key);
  state.attempts = {};
  fold(state, { type: "RunCompleted", data: {} });
  settle(state);
  const [teardown] = Object.values(state.effects);
  assert.ok(teardown?.kind === "RunInTree" && teardown.part === "teardown");
  done(state, { kind: "ran", evidence: { ...evidence, verdict: "fail" } });
  assert.deepEqual(open(state), ["RemoveWorktree"]);
  const kept = done(state, { kind: "kept", snapshot: "0a", why: "1 path is too large" });
  assert.equal(kept[0]?.type, "WorktreeKept");
  assert.deepEqual(Object.values(state.effects)[0], { kind: "FreeTree", tree: created.tree, epoch: 4 });
  assert.deepEqual(types(done(state, { kind: "freed" })), ["WorkspaceFreed"]);
  assert.deepEqual(open(state), []);
  assert.equal(state.status, "completed");
});
