import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../../src/decide/decide.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { Step } from "../../../src/model/flow/flow.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { WorkspaceFacts } from "../../../src/model/effects/workspace-effects.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const MINUTE = 60_000;
const created = EXAMPLES.WorktreeCreated;
const SNAPSHOT = EXAMPLES.CheckpointTaken.snapshot;

const step = (name: string, more: Partial<Step> = {}): Step => ({
  name,
  task: `do ${name}`,
  agent: "dev",
  needs: [],
  authority: "writes",
  checks: [],
  ...more,
});

/** A run with a tree per step at work, whose own tree stands. */
function run(
  steps: Step[],
  workspace: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): RunState {
  const settings = runSettingsSchema.parse({
    workspace: { isolation: "attempt", ...workspace },
    checks: { tries: 2 },
    ...more,
  });
  const flow = { name: "beside", steps, phases: [] };
  const data = { ...EXAMPLES.RunCreated, flow, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  fold(state, { type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody" } });
  settle(state);
  place(state, "CreateWorktree", { kind: "created", worktree: created });
  return state;
}

const fold = (state: RunState, event: RunEvent, at = state.at + 1): RunState =>
  evolve(state, event, { run: "run_1", seq: state.seq + 1, at });

/** Decides until nothing follows; files are kept as soon as that is asked for. */
function settle(state: RunState): RunEvent[] {
  const all: RunEvent[] = [];
  for (let events = decide(state, state.at); events.length > 0; events = decide(state, state.at)) {
    for (const event of events) fold(state, event);
    all.push(...events);
    for (const [key, effect] of Object.entries(state.effects))
      if (effect.kind === "TakeCheckpoint") {
        const snapshot = { ...SNAPSHOT, id: `of ${effect.tree} as ${effect.checkpoint}` };
        fold(state, { type: "EffectSettled", data: { key, outcome: { kind: "done", snapshot } } });
      }
  }
  return all;
}

type Of<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

const open = <Kind extends Effect["kind"]>(state: RunState, kind: Kind): Of<Kind>[] =>
  Object.values(state.effects).filter((one): one is Of<Kind> => one.kind === kind);

function outcome(state: RunState, kind: Effect["kind"], result: EffectOutcome, of = ""): RunEvent[] {
  const [key] = Object.entries(state.effects).find(
    ([, effect]) => effect.kind === kind && JSON.stringify(effect).includes(of),
  ) ?? [""];
  assert.notEqual(key, "", `no ${kind} is open`);
  fold(state, { type: "EffectSettled", data: { key, outcome: result } });
  return settle(state);
}
const place = (state: RunState, kind: Effect["kind"], facts: WorkspaceFacts): RunEvent[] =>
  outcome(state, kind, { kind: "done", place: facts });

/** The tree that is asked for is made. */
function make(state: RunState): Of<"CreateWorktree"> {
  const [asked] = open(state, "CreateWorktree");
  assert.ok(asked?.step !== undefined && asked.name !== undefined);
  const tree = `/state/worktrees/project-0a/${asked.name}`;
  const worktree = { ...created, tree, cwd: tree, branch: asked.branch, from: "0c" };
  place(state, "CreateWorktree", { kind: "created", worktree });
  return asked;
}

/** An agent that was started says that it is done. */
function work(state: RunState, attempt: string): RunEvent[] {
  outcome(state, "StartAgent", { kind: "done" }, `"${attempt}"`);
  const signals = [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ] as const;
  fold(state, { type: "SignalsHeard", data: { attempt, cursor: "2", signals: [...signals] } });
  return settle(state);
}

const joined = (commit: string, snapshot = EXAMPLES.WorkJoined.snapshot): WorkspaceFacts => {
  const { work, branch, into, how, files, count } = EXAMPLES.WorkJoined;
  return { kind: "joined", commit, work, branch, into, how, files, count, snapshot };
};
const conflict: WorkspaceFacts = {
  kind: "unjoined",
  cause: "conflict",
  files: ["a"],
  why: "the same",
  work: "0e",
};
const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const treeName = (effect: { readonly cwd: string } | undefined): string =>
  effect?.cwd.split("/").at(-1) ?? "";

test("W1 steps that do not need each other begin beside each other, each in its own worktree from the run's branch", () => {
  const state = run([step("a"), step("b"), step("c", { needs: ["a", "b"] })]);
  const a = make(state);
  assert.deepEqual(
    [a.step, a.name, a.branch, a.from],
    ["a", "run_1+a", "holdfast/run_1+a.1", "refs/heads/holdfast/run_1"],
  );
  assert.equal(make(state).branch, "holdfast/run_1+b.2");
  assert.deepEqual(open(state, "StartAgent").map(treeName), ["run_1+a", "run_1+b"]);
  // Before anybody began, the run's own tree and each of theirs was kept.
  assert.deepEqual(
    Object.values(state.checkpoints).map(({ tree }) => tree.split("/").at(-1)),
    ["run_1", "run_1+a", "run_1+b"],
  );
});

test("W1 work that has passed is done once it is on the run's branch; its tree is removed, and what needs it begins from there", () => {
  const state = run([step("a"), step("b", { needs: ["a"] })]);
  make(state);
  const after = work(state, "a#1");
  assert.ok(!types(after).includes("StepSucceeded"));
  const [join] = open(state, "JoinWork");
  assert.equal(join?.into, created.tree);
  assert.equal(join.base, `of ${join.tree} as c2`);
  const reported = place(state, "JoinWork", joined("0f"));
  assert.deepEqual(types(reported).slice(0, 2), ["WorkJoined", "StepSucceeded"]);
  assert.equal(state.workspace.commit.steps["a"], "0f");
  assert.deepEqual(
    open(state, "RemoveWorktree").map(({ tree }) => tree),
    [join.tree],
  );
  assert.deepEqual(open(state, "CreateWorktree"), []);
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  assert.equal(make(state).step, "b");
});

test("W1 W8 where others have changed the same the step is worked again in a new tree in the same folder, and the next time it has failed", () => {
  const state = run([step("a")]);
  const first = make(state);
  work(state, "a#1");
  const reported = place(state, "JoinWork", conflict);
  assert.deepEqual(types(reported).slice(0, 3), ["JoinRefused", "StepChecked", "StepRetryScheduled"]);
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  const again = make(state);
  assert.deepEqual([again.name, again.branch], [first.name, "holdfast/run_1+a.2"]);
  const [start] = open(state, "StartAgent");
  assert.match(start?.task ?? "", /others have changed the same.*\n- a\n[^]*in the commit 0e, on the branch/);
  work(state, "a#2");
  assert.ok(types(place(state, "JoinWork", conflict)).includes("StepFailed"));
});

test("W1 W11 a tree of which something is in no snapshot is kept, and the next one stands beside it", () => {
  const state = run([step("a")]);
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", conflict);
  const reported = place(state, "RemoveWorktree", {
    kind: "kept",
    snapshot: "0a",
    why: "1 path is too large",
  });
  assert.equal(reported[0]?.type, "WorktreeKept");
  assert.equal(make(state).name, "run_1+a+1");
});

test("W1 W8 where no worktree is ever removed, the step is worked again in one beside it", () => {
  const state = run([step("a")], { cleanup: "never" });
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", conflict);
  assert.deepEqual(open(state, "RemoveWorktree"), []);
  assert.equal(make(state).name, "run_1+a+1");
  assert.equal(open(state, "StartAgent").length, 1);
});

test("W1 W3 an attempt that follows a failed one goes on in its tree, which is kept first", () => {
  const state = run([step("a")]);
  make(state);
  outcome(state, "StartAgent", { kind: "done" });
  const exit = { kind: "exit", how: "code", code: 1 } as const;
  fold(state, { type: "SignalsHeard", data: { attempt: "a#1", cursor: "1", signals: [exit] } });
  settle(state);
  fold(state, { type: "ProtectedFilesStirred", data: { tree: "/elsewhere" } }, state.at + 10 * MINUTE);
  settle(state);
  assert.deepEqual(open(state, "CreateWorktree"), []);
  const [start] = open(state, "StartAgent");
  assert.deepEqual([start?.attempt, treeName(start)], ["a#2", "run_1+a"]);
  const last = Object.values(state.checkpoints).at(-1);
  assert.deepEqual([last?.cause, last?.tree], ["before_recovery", start?.cwd]);
});

test("W1 work that cannot be joined for what a person has changed asks that person, and is joined afterwards", () => {
  const state = run([step("a")]);
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", { kind: "unjoined", cause: "dirty", files: ["a"], why: "differs", work: "0e" });
  assert.equal(state.blocked?.reason, "workspace_dirty");
  fold(state, { type: "RunUnblocked", data: {} });
  settle(state);
  assert.ok(types(place(state, "JoinWork", joined("0f"))).includes("StepSucceeded"));
});

test("W1 G1 a step that may not write looks at the run's tree, and nothing is joined there before it is gone", () => {
  const state = run([step("a"), step("look", { authority: "reviews" })]);
  make(state);
  const starts = open(state, "StartAgent");
  assert.deepEqual(starts.map(treeName), ["run_1+a", "run_1"]);
  work(state, "a#1");
  assert.deepEqual(open(state, "JoinWork"), []);
  work(state, "look#1");
  const [key = ""] = Object.entries(state.effects).find(([, { kind }]) => kind === "RestoreCheckpoint") ?? [];
  if (key !== "") {
    const restored = { before: "0b", written: 0, removed: 0, left: 0 };
    fold(state, { type: "EffectSettled", data: { key, outcome: { kind: "done", restored } } });
    settle(state);
  }
  assert.equal(open(state, "JoinWork").length, 1);
});

test("W1 an ended run removes the trees of its steps before its own", () => {
  const state = run([step("a")], { cleanup: "ended", setup: "up", teardown: "down" });
  const evidence = EXAMPLES.WorkspaceCommandEnded.evidence;
  place(state, "RunInTree", { kind: "ran", evidence });
  make(state);
  const [setup] = open(state, "RunInTree");
  assert.deepEqual([setup?.part, treeName(setup)], ["setup", "run_1+a"]);
  place(state, "RunInTree", { kind: "ran", evidence });
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  const parts = [];
  for (let acts = 0; acts < 6; acts += 1) {
    const [act] = [...open(state, "RunInTree"), ...open(state, "RemoveWorktree")];
    if (act === undefined) break;
    parts.push([act.kind === "RunInTree" ? act.part : "removed", act.tree?.split("/").at(-1) ?? "the run's"]);
    if (act.kind === "RunInTree") place(state, "RunInTree", { kind: "ran", evidence });
    else place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  }
  assert.deepEqual(parts, [
    ["teardown", "run_1+a"],
    ["removed", "run_1+a"],
    ["teardown", "the run's"],
    ["removed", "run_1"],
  ]);
  assert.equal(state.status, "completed");
});

/** What the person asks for is answered, and files are put back as soon as that is begun. */
function ask(state: RunState, request: RunRequest): RunEvent[] {
  const requestId = `req_${String(state.seq)}`;
  fold(state, { type: "RequestHeard", data: { requestId, request, by: "ana" } });
  const events = settle(state);
  if (open(state, "RestoreCheckpoint").length === 0) return events;
  const restored = { before: "0b", written: 1, removed: 0, left: 0 };
  return [...events, ...outcome(state, "RestoreCheckpoint", { kind: "done", restored })];
}

test("W1 W3 files put back in the user's own tree, after the run's was removed, are not committed there, and the run ends", () => {
  const state = run([step("a")], { cleanup: "ended" });
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  ask(state, { kind: "reopen" });
  ask(state, { kind: "checkpoint" });
  assert.ok(types(ask(state, { kind: "restore" })).includes("RunRestored"));
  const after = ask(state, { kind: "resume" });
  assert.ok(!types(after).includes("CommitWanted"));
  assert.deepEqual([state.status, state.blocked], ["completed", null]);
});

test("W1 W3 a run that is cancelled before the files put back are committed keeps its tree, and commits them when it goes on", () => {
  const state = run([step("a"), step("b", { needs: ["a"] })], { cleanup: "ended" });
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  ask(state, { kind: "pause" });
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  ask(state, { kind: "checkpoint" });
  assert.ok(types(ask(state, { kind: "restore" })).includes("RunRestored"));
  ask(state, { kind: "cancel" });
  assert.equal(state.status, "cancelled");
  assert.deepEqual(open(state, "RemoveWorktree"), []);
  ask(state, { kind: "reopen" });
  ask(state, { kind: "resume" });
  assert.equal(open(state, "CommitWork")[0]?.tree, created.tree);
});

for (const isolation of ["attempt", "run"])
  test(`W1 W3 a run whose worktree was removed gets it back before it is put back (isolation: ${isolation})`, () => {
    const state = run([step("a")], { cleanup: "ended", isolation });
    if (isolation === "attempt") make(state);
    work(state, "a#1");
    if (isolation === "attempt") {
      place(state, "JoinWork", joined("0f"));
      place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
    } else {
      const { commit, branch, files, count } = EXAMPLES.WorkCommitted;
      place(state, "CommitWork", { kind: "committed", commit, branch, files, count });
    }
    assert.equal(state.status, "completed");
    const request = { kind: "restore", checkpoint: "c1" } as const;
    place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
    assert.equal(state.workspace.worktree, null);

    const before = state.checkpointed;
    fold(state, { type: "RequestHeard", data: { requestId: "req_1", request, by: "ann" } });
    settle(state);
    assert.deepEqual(
      [state.status, state.checkpointed, open(state, "RestoreCheckpoint")],
      ["paused", before, []],
    );
    const [made] = open(state, "CreateWorktree");
    assert.deepEqual([made?.step, made?.goOn], [undefined, true]);

    place(state, "CreateWorktree", { kind: "created", worktree: created });
    const kept = Object.values(state.checkpoints).at(-1);
    assert.deepEqual([kept?.cause, kept?.tree], ["before_restore", created.tree]);
    assert.deepEqual(
      open(state, "RestoreCheckpoint").map(({ checkpoint, tree }) => [checkpoint, tree]),
      [["c1", created.tree]],
    );
    const restored = { before: "0b", written: 1, removed: 0, left: 0 };
    assert.ok(types(outcome(state, "RestoreCheckpoint", { kind: "done", restored })).includes("RunRestored"));
    assert.deepEqual([state.status, state.steps["a"]?.status], ["paused", "pending"]);
  });

test("W1 W3 a run is not put back into a worktree that is just being removed", () => {
  const state = run([step("a")], { cleanup: "ended" });
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  const request = { kind: "restore", checkpoint: "c1" } as const;
  fold(state, { type: "RequestHeard", data: { requestId: "req_1", request, by: "ann" } });
  settle(state);
  assert.deepEqual([open(state, "RemoveWorktree").length, open(state, "RestoreCheckpoint")], [1, []]);
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  assert.equal(open(state, "CreateWorktree").length, 1);
  place(state, "CreateWorktree", { kind: "created", worktree: created });
  assert.equal(open(state, "RestoreCheckpoint").length, 1);
});

/** A run that has ended, and whose trees are gone, is to be put back; something else is asked of it at the same time. */
function putBackAfterItsEnd(besides: RunRequest): RunState {
  const state = run([step("a")], { cleanup: "ended" });
  make(state);
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  const asked: readonly RunRequest[] = [{ kind: "restore", checkpoint: "c1" }, besides];
  for (const [nth, request] of asked.entries())
    fold(state, { type: "RequestHeard", data: { requestId: `req_${String(nth)}`, request, by: "ann" } });
  settle(state);
  return state;
}

test("W1 W3 a run whose worktree was removed gets it back although a commit of it was asked for too", () => {
  const state = putBackAfterItsEnd({ kind: "commit" });
  assert.equal(open(state, "CreateWorktree").length, 1);
  place(state, "CreateWorktree", { kind: "created", worktree: created });
  assert.equal(open(state, "RestoreCheckpoint").length, 1);
});

test("W1 R1 a step that is given out again while its tree is being removed waits for that, and begins in another", () => {
  const state = run([step("a"), step("b", { needs: ["a"] })]);
  const first = make(state);
  work(state, "a#1");
  place(state, "JoinWork", joined("0f"));
  const before = state.checkpointed;
  fold(state, {
    type: "RequestHeard",
    data: { requestId: "req_1", request: { kind: "reissue", reason: "stale", step: "a" }, by: "ann" },
  });
  settle(state);
  // The tree is gone, or half of it: only the answer was lost.
  outcome(state, "RemoveWorktree", { kind: "failed", text: "no answer", terminal: false });
  assert.equal(state.checkpointed, before);
  place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  const again = make(state);
  assert.deepEqual([again.name, again.branch], [first.name, "holdfast/run_1+a.2"]);
});

test("W1 W2 what joins have kept on the way is let go once the run has ended, but for what changes are counted from", () => {
  const state = run([step("a"), step("b", { needs: ["a"] })]);
  const keys: string[] = [];
  for (const name of ["a", "b"]) {
    make(state);
    work(state, `${name}#1`);
    keys.push(Object.entries(state.effects).find(([, { kind }]) => kind === "JoinWork")?.[0] ?? "");
    place(state, "JoinWork", joined("0f", `with ${name}`));
    if (name === "a") assert.deepEqual(open(state, "ReleaseCheckpoints"), [], "the run lives");
    place(state, "RemoveWorktree", { kind: "removed", snapshot: "0a" });
  }
  assert.equal(state.status, "completed");
  const [first = "", second = ""] = keys;
  const freed = (): string[] =>
    open(state, "ReleaseCheckpoints").flatMap(({ snapshots }) => snapshots.map(({ key }) => key));
  const old = [`${first}/kept`, `${first}/after`, `${second}/kept`];
  assert.deepEqual(freed(), old);
  // What could not be freed is tried again; what was, is not.
  outcome(state, "ReleaseCheckpoints", { kind: "failed", text: "a full disk", terminal: false });
  assert.deepEqual(freed(), old);
  outcome(state, "ReleaseCheckpoints", { kind: "done" });
  assert.deepEqual(
    state.workspace.joins.map(({ key, snapshot }) => [key, snapshot]),
    [[`${second}/after`, "with b"]],
  );
  assert.deepEqual(freed(), []);
});

test("W1 W2 the checkpoint that the work in the tree of a failed step is counted from is not let go", () => {
  const state = run([step("a")], {}, { checkpoints: { keep: 1 } });
  make(state);
  for (let tries = 1; state.status === "running" && tries < 9; tries += 1) {
    outcome(state, "StartAgent", { kind: "done" });
    const exit = { kind: "exit", how: "code", code: 1 } as const;
    fold(state, {
      type: "SignalsHeard",
      data: { attempt: `a#${String(tries)}`, cursor: "1", signals: [exit] },
    });
    settle(state);
    fold(state, { type: "ProtectedFilesStirred", data: { tree: "/elsewhere" } }, state.at + 10 * MINUTE);
    settle(state);
  }
  ask(state, { kind: "cancel" });
  assert.equal(state.status, "cancelled");
  const own = state.workspace.trees["a"];
  assert.ok(own !== undefined);
  const last = Object.keys(state.checkpoints).at(-1);
  assert.notEqual(last, "c2");
  assert.equal(state.checkpoints["c2"]?.snapshot.id, own.base);
});

test("W1 W3 a run that is resumed before it is put back does not end meanwhile, and works from there", () => {
  const state = putBackAfterItsEnd({ kind: "resume" });
  place(state, "CreateWorktree", { kind: "created", worktree: created });
  assert.deepEqual([state.status, open(state, "RestoreCheckpoint").length], ["running", 1]);
  const restored = { before: "0b", written: 1, removed: 0, left: 0 };
  outcome(state, "RestoreCheckpoint", { kind: "done", restored });
  assert.deepEqual([state.status, state.steps["a"]?.status], ["running", "pending"]);
});
