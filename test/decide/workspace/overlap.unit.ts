import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import { nextOverlapLook } from "../../../src/decide/rules/workspace-rules.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { OverlapPeer } from "../../../src/model/state/overlap.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const CREATED = 1_000;

/** A run of one step at work in a worktree that was made at 1 000, with one checkpoint of it. */
function atWork(times = 3): RunState {
  const settings = runSettingsSchema.parse({
    workspace: { isolation: "run" },
    conflict: { times, everyMs: 5_000 },
  });
  const data = { ...EXAMPLES.RunCreated, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1);
  fold(state, { type: "WorktreeCreated", data: EXAMPLES.WorktreeCreated }, CREATED);
  state.effects = {};
  return state;
}

function fold(state: RunState, event: RunEvent, at: number): void {
  evolve(state, event, { run: state.run, seq: state.seq + 1, at });
}

function keep(state: RunState, id: string, at: number): void {
  const { tree } = EXAMPLES.WorktreeCreated;
  const snapshot = { ...EXAMPLES.CheckpointTaken.snapshot, id };
  const data = { ...EXAMPLES.CheckpointTaken, checkpoint: `c_${id}`, tree, snapshot };
  fold(state, { type: "CheckpointTaken", data }, at);
}

const peer = (run: string, since: number, ...files: string[]): OverlapPeer => ({
  run,
  since,
  files,
  count: files.length,
});

const comparing = (state: RunState) =>
  Object.entries(state.effects).flatMap(([key, effect]) =>
    effect.kind === "CompareWork" ? [{ key, effect }] : [],
  );

/** Lets the look that is under way see this. */
function seen(state: RunState, own: number, peers: OverlapPeer[], now: number): RunEvent[] {
  const [look] = comparing(state);
  assert.ok(look !== undefined, "nobody looks");
  const outcome = { kind: "done", overlap: { own, peers } } as const;
  return takeTurn(state, [{ type: "EffectSettled", data: { key: look.key, outcome } }], now);
}

test("W8 what a run has changed is counted from its first checkpoint, and compared after each", () => {
  const state = atWork();
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  const [first] = comparing(state);
  assert.deepEqual([first?.effect.base, first?.effect.snapshot, first?.effect.since], ["s1", "s1", CREATED]);
  assert.deepEqual(
    seen(state, 0, [], 1_200).filter(({ type }) => type === "OverlapFound"),
    [],
    "no news is no event",
  );
  assert.deepEqual(comparing(state), [], "nothing new was kept");
  keep(state, "s2", 1_300);
  takeTurn(state, [], 1_301);
  assert.deepEqual(
    comparing(state).map(({ effect }) => [effect.base, effect.snapshot]),
    [["s1", "s2"]],
  );
});

test("W8 an overlap with a run that began earlier counts once, is shown with its command, and goes again", () => {
  const state = atWork();
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  seen(state, 4, [peer("run_0", 500, "a")], 1_200);
  assert.equal(state.conflict.times, 1);
  const [shown] = statusView(state, null).overlaps;
  assert.deepEqual(
    [shown?.run, shown?.overlapPct, shown?.command],
    ["run_0", 25, "holdfast reissue run_1 --reason conflict"],
  );
  keep(state, "s2", 1_300);
  takeTurn(state, [], 1_301);
  seen(state, 2, [peer("run_0", 500, "a", "b")], 1_400);
  assert.equal(state.conflict.times, 1, "the same run is counted once");
  assert.equal(statusView(state, null).overlaps[0]?.command, "holdfast pause run_1", "somebody is at work");
  keep(state, "s3", 1_500);
  takeTurn(state, [], 1_501);
  seen(state, 2, [], 1_600);
  assert.deepEqual(statusView(state, null).overlaps, []);
});

test("W8 of two runs the one that began first is informed and goes on: it counts nothing", () => {
  const state = atWork(1);
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  seen(state, 1, [peer("run_2", 2_000, "a")], 1_200);
  assert.deepEqual([state.conflict.times, state.status], [0, "running"]);
  assert.equal(statusView(state, null).overlaps.length, 1);
});

test("W8 the third overlap blocks as conflict_loop, once nobody is at work", () => {
  const state = atWork();
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  seen(state, 1, [peer("a", 1, "x"), peer("b", 2, "x"), peer("c", 3, "x")], 1_200);
  takeTurn(state, [], 1_201);
  assert.equal(state.blocked?.reason, "conflict_loop");
  assert.match(state.blocked.detail, /3 times.* x too, 100 %/);
});

test("W8 an overlap that comes again after the work was given out again counts again", () => {
  const state = atWork();
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  seen(state, 4, [peer("run_0", 500, "a")], 1_200);
  const steps = Object.keys(state.steps);
  fold(state, { type: "StepsReissued", data: { steps, reason: "conflict", by: "x" } }, 1_300);
  fold(state, { type: "OverlapFound", data: { own: 4, peers: [peer("run_0", 500, "a")] } }, 1_400);
  assert.equal(state.conflict.times, 1, "nothing was done anew yet");
  const step = steps[0] ?? "";
  fold(state, { type: "StepSucceeded", data: { ...EXAMPLES.StepSucceeded, step } }, 1_500);
  fold(state, { type: "OverlapFound", data: { own: 4, peers: [peer("run_0", 500, "a")] } }, 1_600);
  assert.equal(state.conflict.times, 2);
});

test("W8 a look that fails has seen nothing, and the next one comes when it is due", () => {
  const state = atWork();
  keep(state, "s1", 1_100);
  takeTurn(state, [], 1_101);
  const [look] = comparing(state);
  const outcome = { kind: "failed", text: "no", terminal: false } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key: look?.key ?? "", outcome } }], 1_200);
  assert.deepEqual([comparing(state), state.overlap.peers], [[], []]);
  assert.equal(nextOverlapLook(state), Infinity, "nobody is at work");
});
