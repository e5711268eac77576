import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { given } from "../states.ts";

const one = { id: "host_1", name: "one" };
const two = { id: "host_2", name: "two" };
const SECOND = 1_000;
const { tree } = EXAMPLES.WorktreeCreated;
const { ref, commit, left, conversations, without } = EXAMPLES.FilesUploaded;
const uploaded = { ref, commit, left, conversations, without };
const settings = runSettingsSchema.parse({
  workspace: { isolation: "run", remote: "https://ada:word@git.example/runs.git" },
  protected: { usual: false },
  drift: { when: "never" },
  backoff: { baseMs: 1, capMs: 1 },
});

const claimed = (home: typeof one, epoch: number, away?: true): RunEvent => ({
  type: "RunClaimed",
  data: { owner: `o${String(epoch)}`, epoch, from: "gone", home, ...(away && { away }) },
});

const keyOf = (state: RunState, kind: string): string | undefined =>
  Object.keys(state.effects).find((key) => state.effects[key]?.kind === kind);

function settle(state: RunState, kind: string, outcome: EffectOutcome, now: number): RunEvent[] {
  const key = keyOf(state, kind);
  assert.ok(key !== undefined, `${kind} is not under way: ${Object.keys(state.effects).join(", ")}`);
  return takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], now);
}

/** At work in its worktree on the first host, with a checkpoint. */
function atWork(): RunState {
  const state = given(claimed(one, 1), { type: "RunStarted", data: {} });
  Object.assign(state, { settings });
  for (const event of [
    { type: "WorktreeCreated", data: EXAMPLES.WorktreeCreated },
    { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
    { type: "CheckpointTaken", data: { ...EXAMPLES.CheckpointTaken, tree } },
  ] as const)
    evolve(state, event, { run: "run_1", seq: state.seq + 1, at: SECOND });
  const attempt = state.attempts["work#1"];
  assert.ok(attempt !== undefined);
  attempt.conversation = "conv_1";
  takeTurn(state, [], 2 * SECOND);
  return state;
}

function lost(state: RunState): RunEvent[] {
  return takeTurn(state, [claimed(two, 2, true)], 20 * SECOND);
}

const fetched = (): EffectOutcome => ({
  kind: "done",
  fetched: {
    worktree: EXAMPLES.WorktreeCreated,
    conversations: [{ step: "work", agent: "dev", id: "conv_1" }],
    trusted: null,
    ports: null,
  },
});

test("F2 a checkpoint is uploaded once, under the epoch of its owner, and again when another is taken", () => {
  const state = atWork();
  const effect = state.effects[keyOf(state, "UploadFiles") ?? ""];
  assert.ok(effect?.kind === "UploadFiles");
  assert.deepEqual([effect.checkpoint, effect.epoch, effect.previous], ["c1", 1, null]);
  assert.deepEqual(
    effect.conversations.map(({ id }) => id),
    ["conv_1"],
  );
  const events = settle(state, "UploadFiles", { kind: "done", uploaded }, 3 * SECOND);
  assert.ok(events.some(({ type, data }) => type === "FilesUploaded" && data.checkpoint === "c1"));
  assert.equal(keyOf(state, "UploadFiles"), undefined);
  const data = { ...EXAMPLES.CheckpointTaken, tree, checkpoint: "c2" };
  takeTurn(state, [{ type: "CheckpointTaken", data }], 4 * SECOND);
  const next = state.effects[keyOf(state, "UploadFiles") ?? ""];
  assert.ok(next?.kind === "UploadFiles");
  assert.deepEqual([next.checkpoint, next.previous], ["c2", uploaded.ref]);
});

test("F2 where the remote is away the work goes on, each failure is recorded, and the wait doubles up to five minutes", () => {
  const state = atWork();
  const waits: number[] = [];
  let now = 10 * SECOND;
  for (let tries = 1; tries <= 10; tries += 1) {
    const failed = { kind: "failed", terminal: false, text: "no route to host" } as const;
    const events = settle(state, "UploadFiles", failed, now);
    const told = events.find(({ type }) => type === "UploadFailed");
    assert.ok(told?.type === "UploadFailed");
    assert.deepEqual([told.data.why, told.data.tries], ["no route to host", tries]);
    waits.push((told.data.notBefore - now) / SECOND);
    takeTurn(state, [], told.data.notBefore - 1);
    assert.equal(keyOf(state, "UploadFiles"), undefined);
    now = told.data.notBefore;
    takeTurn(state, [], now);
  }
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  assert.deepEqual([state.status, Object.keys(state.attempts)], ["running", ["work#1"]]);
});

test("F2 a run whose host is gone goes on elsewhere with its files and its conversation, and is not charged", () => {
  const state = atWork();
  settle(state, "UploadFiles", { kind: "done", uploaded }, 3 * SECOND);
  lost(state);
  assert.deepEqual([state.status, state.blocked], ["running", null]);
  const fetch = state.effects[keyOf(state, "FetchFiles") ?? ""];
  assert.ok(fetch?.kind === "FetchFiles");
  assert.deepEqual([fetch.ref, fetch.commit, fetch.worktree.tree], [uploaded.ref, uploaded.commit, tree]);
  assert.deepEqual(Object.keys(state.attempts), ["work#1"], "nothing is ended before the files are there");
  const events = settle(state, "FetchFiles", fetched(), 22 * SECOND);
  const ended = events.find(({ type }) => type === "AttemptEnded");
  assert.ok(ended?.type === "AttemptEnded");
  assert.deepEqual([ended.data.outcome, ended.data.charged], ["interrupted", false]);
  assert.deepEqual([state.claim.home, state.claim.away], [two, undefined]);
  assert.deepEqual([state.workspace.worktree?.tree, state.cwd], [tree, EXAMPLES.WorktreeCreated.cwd]);
  assert.deepEqual(state.steps["work"]?.conversation, { agent: "dev", id: "conv_1" });
  assert.equal(state.steps["work"]?.charged, 0);
  assert.deepEqual(Object.keys(state.checkpoints), ["c1"]);
  assert.match(
    state.steps["work"]?.notes.at(-1)?.text ?? "",
    /the work goes on on two: .* \(checkpoint c1\)/,
  );
});

test("F2 a step that was done after the last upload is done again, and one before it is not", () => {
  for (const [doneSeq, status] of [
    [3, "succeeded"],
    [1_000, "pending"],
  ] as const) {
    const state = atWork();
    settle(state, "UploadFiles", { kind: "done", uploaded }, 3 * SECOND);
    state.attempts = {};
    const step = state.steps["work"];
    assert.ok(step !== undefined);
    Object.assign(step, { status: "succeeded", doneSeq, live: null });
    state.steps["more"] = { ...structuredClone(step), status: "failed", doneSeq: null, started: 0 };
    lost(state);
    const events = settle(state, "FetchFiles", fetched(), 22 * SECOND);
    const resets = events.flatMap(({ type, data }) => (type === "StepReset" ? [data.step] : []));
    assert.deepEqual(resets, status === "pending" ? ["work"] : [], status);
  }
});

test("F2 where the copy cannot be fetched the run is blocked by name, without a password, and goes on when it can", () => {
  const state = atWork();
  settle(state, "UploadFiles", { kind: "done", uploaded }, 3 * SECOND);
  lost(state);
  let now = 22 * SECOND;
  const failed = { kind: "failed", terminal: false, text: "no route to host" } as const;
  for (let tries = 1; tries <= 3; tries += 1) {
    settle(state, "FetchFiles", failed, now);
    now = state.upload.fetch.notBefore;
    if (tries < 3) takeTurn(state, [], now);
  }
  assert.deepEqual([state.status, state.blocked?.reason], ["blocked", "host_lost"]);
  assert.match(
    state.blocked?.detail ?? "",
    /the files of the run are on one, which is gone, and their copy on https:\/\/git\.example\/runs\.git could not be fetched to two: no route to host; it is tried again; start Holdfast there/,
  );
  assert.equal(state.steps["work"]?.charged, 0);
  takeTurn(state, [], now);
  settle(state, "FetchFiles", fetched(), now + SECOND);
  assert.deepEqual([state.status, state.blocked, state.claim.home], ["running", null, two]);
});

test("F2 without a copy a run waits for its host by name, whether a remote is configured or not", () => {
  const state = atWork();
  lost(state);
  assert.deepEqual([state.status, state.blocked?.reason], ["blocked", "host_lost"]);
  assert.match(state.blocked?.detail ?? "", /no copy of them is on https:\/\/git\.example\/runs\.git yet/);
});

test("F2 what is asked of a run waits until its files are there", () => {
  const state = atWork();
  settle(state, "UploadFiles", { kind: "done", uploaded }, 3 * SECOND);
  lost(state);
  const request = { kind: "pause" } as const;
  const heard = { type: "RequestHeard", data: { requestId: "q", request, by: "ada" } } as const;
  const before = takeTurn(state, [heard], 21 * SECOND);
  assert.ok(!before.some(({ type }) => type === "RequestAnswered"));
  const after = settle(state, "FetchFiles", fetched(), 22 * SECOND);
  const answer = after.find(({ type }) => type === "RequestAnswered");
  assert.ok(answer?.type === "RequestAnswered");
  assert.equal(answer.data.answer.kind, "done");
});
