import assert from "node:assert/strict";
import { decideRequests, isAtRest, isOwed } from "../../src/decide/decide.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { newsOf } from "../../src/decide/resources/shared-resource-news.ts";
import {
  evolveSharedResource,
  newSharedResource,
} from "../../src/decide/resources/evolve-shared-resource.ts";
import { decideUpload } from "../../src/decide/workspace/decide-upload.ts";
import type { Rules } from "../../src/decide/rules/rule.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { STORE_RESOURCE } from "../../src/model/host/resource-address.ts";
import type { AttemptState, RunState, StepState } from "../../src/model/state/run-state.ts";
import { turnAt } from "../fold/journal-cuts.ts";
import { EXAMPLES } from "../model/example-events.ts";
import { begun } from "./budgeted-run.ts";
import { blockedBy, given, IN_STATE } from "./states.ts";

/**
 * One part of a rule, shown in a state in which nothing else says the same. The facts that a rule looks at are put
 * into the state as their events would, so that each case is about one rule alone.
 */
export interface RuleCase {
  readonly title: string;
  check(rules: Rules): void;
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const LATER = 10 * SECOND;

/** A supervisor's turn records this. */
function decides(state: RunState, now: number, rules: Rules, event: string): void {
  const said = turnAt(state, now, rules);
  assert.ok(
    said.some((name) => name.startsWith(event)),
    `${event} is not among ${said.join(", ")}`,
  );
}

const dueIs = (state: RunState, now: number, rules: Rules, at: number): void => {
  assert.equal(nextDeadline(state, now, rules), at);
};

function atWork(wish: Parameters<typeof begun>[0] = {}): {
  state: RunState;
  attempt: AttemptState;
  step: StepState;
} {
  const state = begun(wish);
  const attempt = state.attempts["s0#1"];
  const step = state.steps["s0"];
  assert.ok(attempt !== undefined && step !== undefined);
  state.effects = {};
  return { state, attempt, step };
}

/** With an agent at work in the run's own worktree, and nothing under way. */
function inWorktree(settings: Record<string, unknown>): RunState {
  const state = begun({
    settings: { workspace: { isolation: "run" }, drift: { when: "never" }, ...settings },
  });
  const { attempt } = atWork();
  const order = { run: state.run, seq: state.seq + 1, at: SECOND };
  evolve(state, { type: "WorktreeCreated", data: EXAMPLES.WorktreeCreated }, order);
  state.attempts[attempt.id] = attempt;
  state.effects = {};
  return state;
}

/** Its work was kept, and compared with that of others up to there. */
function overlapping(): RunState {
  const state = inWorktree({ conflict: { everyMs: 5_000 } });
  const { tree } = EXAMPLES.WorktreeCreated;
  const data = { ...EXAMPLES.CheckpointTaken, tree };
  evolve(state, { type: "CheckpointTaken", data }, { run: state.run, seq: state.seq + 1, at: SECOND });
  state.overlap.base ??= data.snapshot.id;
  return state;
}

/** A checkpoint of its worktree is on no remote yet. */
function uploading(): RunState {
  const workspace = { isolation: "run", remote: "/srv/runs.git" };
  const state = inWorktree({ workspace, conflict: { everyMs: HOUR } });
  const { tree } = EXAMPLES.WorktreeCreated;
  const data = { ...EXAMPLES.CheckpointTaken, tree };
  evolve(state, { type: "CheckpointTaken", data }, { run: state.run, seq: state.seq + 1, at: SECOND });
  state.claim = { ...state.claim, home: { id: "host_1", name: "one" } };
  return state;
}

/** It is uploaded, and its host is gone. */
function movable(): RunState {
  const state = uploading();
  const at = { run: state.run, seq: state.seq + 1, at: 2 * SECOND };
  const [intended] = decideUpload(state, 2 * SECOND);
  assert.ok(intended?.type === "EffectIntended");
  evolve(state, intended, at);
  const { key } = intended.data;
  const { ref, commit, left, conversations, without } = EXAMPLES.FilesUploaded;
  const uploaded = { ref, commit, left, conversations, without };
  evolve(state, { type: "EffectSettled", data: { key, outcome: { kind: "done", uploaded } } }, at);
  evolve(state, { type: "FilesUploaded", data: EXAMPLES.FilesUploaded }, at);
  state.claim = { ...state.claim, away: { id: "host_2", name: "two" } };
  state.effects = {};
  return state;
}

function receivedOfStore(state: RunState, ...reported: RunEvent[]): void {
  const resource = newSharedResource(STORE_RESOURCE);
  for (const event of reported) evolveSharedResource(resource, event, { seq: resource.seq + 1, at: SECOND });
  const news = newsOf(resource, state.run);
  const order = { run: state.run, seq: state.seq + 1, at: SECOND };
  evolve(state, { type: "GroundHeard", data: { ground: STORE_RESOURCE, news } }, order);
}

/** Blocked as stuck; the operator was asked at 1 000. */
function stuck(): RunState {
  const state = given(...IN_STATE.running, blockedBy({ reason: "stuck" }));
  const step = state.steps["work"];
  assert.ok(step !== undefined);
  step.ladder = {
    pattern: "no_progress",
    openedAt: 0,
    remedy: "operator",
    tryNumber: 1,
    takenAt: SECOND,
    effectAt: null,
    bySession: false,
    meanwhile: null,
    outcome: null,
    taken: { remedy: "operator", tryNumber: 1 },
    triage: null,
    decidedAt: null,
  };
  return state;
}

const stale = (): RunState => given(...IN_STATE.running, { type: "RunPaused", data: { stop: "stale" } });

/** Its due is somewhere between half and all of it, so that runs do not come back together. */
function staleDue(state: RunState, rules: Rules): number {
  const due = nextDeadline(state, state.at, rules);
  assert.ok(due !== null, "a stale run has no deadline");
  return due;
}

function reviewed(): RunState {
  const state = given(...IN_STATE.blocked);
  const effect = { kind: "AskReview", attempt: "work#1", step: "work", agent: "dev", spec: { use: "demo" } };
  state.effects["work#1/AskReview"] = { ...effect, session: "s", task: "t", limitMs: HOUR, usd: 1 } as never;
  return state;
}

const shut = (): RunState => {
  const state = given(...IN_STATE.running, { type: "RunPaused", data: { stop: "shutdown" } });
  state.epoch = state.pausedInEpoch + 1;
  return state;
};

const rests = (state: RunState, now: number, rules: Rules, expected: boolean): void => {
  assert.equal(isAtRest(state, now, rules), expected);
};

const ALARM = { id: "a1", dueAt: 9_000, note: "look", by: "ada", wakes: false } as const;

/** What is still to be done for a run at rest. */
const OWED: readonly (readonly [what: string, put: (state: RunState) => void])[] = [
  ["an alarm", (state) => (state.alarms["a1"] = ALARM)],
  ["a notice to send", (state) => (state.notices["n1"] = { notBefore: HOUR, lastFailure: null } as never)],
  ["work to commit", (state) => (state.workspace.commit.wanted = { by: "ada" } as never)],
  ["an effect under way", (state) => (state.effects["x/EndAgent"] = { kind: "EndAgent" } as never)],
];

export const RULE_CASES: readonly RuleCase[] = [
  {
    title: "A6 words that reached nobody are kept for the step's next attempt",
    check(rules) {
      const { state } = atWork();
      state.untold = [{ step: "s0", text: "use port 80", by: "ada" }];
      // Kept before anything else of the run is looked at.
      const [first] = turnAt({ ...state, requests: [] }, LATER, rules);
      assert.equal(first?.split(" ")[0], "StepAdvised");
    },
  },
  {
    title: "J4 a run in whose turns supervisors ended twice is quarantined",
    check(rules) {
      const state = given(...IN_STATE.running);
      const last = { how: "exit", text: "out of memory", at: 0 };
      state.claim = { ...state.claim, deaths: { inARow: 2, last, known: [] } as never };
      turnAt(state, LATER, rules);
      decides(state, LATER, rules, "RunBlocked");
    },
  },
  {
    title: "F2 a run whose files are on a host that is gone is blocked",
    check(rules) {
      const state = given(...IN_STATE.running);
      const [home, away] = [1, 2].map((n) => ({ id: `host_${String(n)}`, name: "h" }));
      state.claim = { ...state.claim, home, away };
      decides(state, LATER, rules, "RunBlocked");
    },
  },
  {
    title: "G9 a stopped store suspends the sessions of a run",
    check(rules) {
      const { state } = atWork({ use: "claude" });
      receivedOfStore(state, { type: "StoreStopped", data: { by: "ada" } });
      decides(state, LATER, rules, "AttemptEnding s0#1");
    },
  },
  {
    title: "G9 what a run has spent today is reported when it is due",
    check(rules) {
      const { state } = atWork();
      receivedOfStore(state, { type: "DayBudgetSet", data: { budget: { usd: 100 }, by: "ada" } } as never);
      state.today = { ...state.today, usd: 0.5, tokens: 10, reportedAt: 2 * SECOND };
      dueIs(state, 3 * SECOND, rules, 12 * SECOND);
    },
  },
  {
    title: "G2 a run whose agent is not on this host stops before anything is started",
    check(rules) {
      const state = given();
      state.claim = { ...state.claim, missing: ["no program claude"] };
      const said = turnAt(state, LATER, rules);
      assert.ok(said.includes("RunBlocked") && !said.includes("RunStarted"), said.join());
    },
  },
  {
    title: "R2 an operator who does not answer about a stuck agent is waited for until then, and no longer",
    check(rules) {
      const state = stuck();
      turnAt(state, LATER, rules);
      const due = SECOND + state.settings.ladder.operatorMs;
      dueIs(state, LATER, rules, due);
    },
  },
  {
    title: "R2 when an operator has not answered in time, people are told by other ways",
    check(rules) {
      const state = stuck();
      decides(state, SECOND + state.settings.ladder.operatorMs, rules, "RemedyJudged");
    },
  },
  {
    title: "R2 nobody leaves a run whose operator has not answered in time",
    check(rules) {
      const state = stuck();
      const due = SECOND + state.settings.ladder.operatorMs;
      rests(state, due - 1, rules, true);
      rests(state, due, rules, false);
    },
  },
  {
    title: "G16 what a step without authority has changed is put back once it is gone",
    check(rules) {
      const state = given(...IN_STATE.running);
      state.readSince = "c1";
      decides(state, LATER, rules, "RestoreWanted");
    },
  },
  {
    title: "W5 the work of agents is committed every so often",
    check(rules) {
      const state = inWorktree({ commit: { everyMs: 20_000 } });
      state.workspace.commit.committedAt = SECOND;
      dueIs(state, SECOND, rules, 21 * SECOND);
    },
  },
  {
    title: "G16 nobody leaves a run whose proposal is to be applied",
    check(rules) {
      const state = given(...IN_STATE.paused);
      rests(state, LATER, rules, true);
      state.proposals.wanted = { proposal: "p1", by: "ada" };
      rests(state, LATER, rules, false);
    },
  },
  {
    title: "G16 whoever has a proposal applied sees to a supervisor",
    check(rules) {
      const state = given(...IN_STATE.paused);
      assert.equal(isOwed(state, rules), false);
      state.proposals.wanted = { proposal: "p1", by: "ada" };
      assert.equal(isOwed(state, rules), true);
    },
  },
  {
    title: "W9 a person is asked where a command would obey what nobody has trusted",
    check(rules) {
      const { state } = atWork();
      state.binding.untrusted = "the check npm test was not run";
      decides(state, LATER, rules, "RunBlocked");
    },
  },
  {
    title: "G16 the repository is compared once an agent that may not write is gone",
    check(rules) {
      const state = given(...IN_STATE.running);
      const place = { key: "run_1/work#1", project: "/p", tree: "/p", at: 0, files: true };
      const looks = { looks: 0, failures: 0, failure: "", shared: false };
      state.seals.open["work#1"] = { ...place, ...looks, step: "work", agent: "dev", session: "s" };
      decides(state, LATER, rules, "EffectIntended work#1/OpenSeal");
    },
  },
  {
    title: "W8 what runs in worktrees have changed is compared after a checkpoint",
    check: (rules) => {
      decides(overlapping(), 2 * SECOND, rules, "EffectIntended overlap/CompareWork");
    },
  },
  {
    title: "W8 and every so often while agents work",
    check(rules) {
      const state = overlapping();
      state.overlap.notified = EXAMPLES.CheckpointTaken.snapshot.id;
      state.overlap.lookedAt = SECOND;
      dueIs(state, SECOND, rules, 6 * SECOND);
    },
  },
  {
    title: "F2 a checkpoint is copied to the remote that hosts share",
    check: (rules) => {
      decides(uploading(), 2 * SECOND, rules, "EffectIntended upload/UploadFiles");
    },
  },
  {
    title: "F2 and again later where that has failed",
    check(rules) {
      const state = uploading();
      state.upload.notBefore = 4 * SECOND;
      dueIs(state, 2 * SECOND, rules, 4 * SECOND);
    },
  },
  {
    title: "F2 a run whose files are not copied yet is not left",
    check(rules) {
      const state = uploading();
      state.status = "paused";
      state.attempts = {};
      assert.equal(isAtRest(state, 2 * SECOND, rules), false);
      state.upload.notBefore = 4 * SECOND;
      assert.equal(isAtRest(state, 2 * SECOND, rules), true);
    },
  },
  {
    title: "F2 a copy that could not be fetched is asked for again",
    check(rules) {
      const state = movable();
      state.upload.fetch = { ...state.upload.fetch, failures: 9, notBefore: 4 * SECOND };
      dueIs(state, 2 * SECOND, rules, 4 * SECOND);
    },
  },
  {
    title: "F2 a run whose files are being fetched is not left",
    check(rules) {
      const state = movable();
      assert.equal(isAtRest(state, 2 * SECOND, rules), false);
      state.upload.last = null;
      assert.equal(isAtRest(state, 2 * SECOND, rules), true);
    },
  },
  {
    title: "W6 the files that bind agents at work are looked at again every so often",
    check(rules) {
      const { state } = bound();
      dueIs(state, SECOND, rules, 8 * SECOND);
    },
  },
  {
    title: "W6 when they are due they are looked at",
    check(rules) {
      const { state } = bound();
      decides(state, 8 * SECOND, rules, "EffectIntended binding/LookAtBindings");
    },
  },
  {
    title: "G9 a budget of time is pressed by time alone",
    check(rules) {
      const { state } = atWork({ budget: { timeMs: 20 * SECOND, nearPct: 50 } as never });
      const due = nextDeadline(state, SECOND, rules);
      assert.ok(due !== null && due <= 20 * SECOND, `it is looked at ${String(due)}`);
    },
  },
  {
    title: "G9 a budget of money that nobody can count stops the run",
    check(rules) {
      const { state, attempt } = atWork({ use: "codex", budget: { usd: 5 } });
      attempt.counted = { ...attempt.counted, unpricedTokens: 500 };
      decides(state, LATER, rules, "RunBlocked");
    },
  },
  {
    title: "L2 steps that are accepted again and again with nothing to show stop the run",
    check(rules) {
      const { state } = atWork({ settings: { progress: { turns: 2 } } });
      state.progress.idle.push("a", "b");
      decides(state, LATER, rules, "RunBlocked");
    },
  },
  {
    title: "G3 a reviewer does not work on while people are asked",
    check(rules) {
      const state = reviewed();
      decides(
        state,
        state.blockedAt + state.settings.suspend.turnMs,
        rules,
        "EffectSettled work#1/AskReview",
      );
    },
  },
  {
    title: "G3 and the run is looked at when its time is over",
    check(rules) {
      const state = reviewed();
      dueIs(state, state.blockedAt, rules, state.blockedAt + state.settings.suspend.turnMs);
    },
  },
  {
    title: "G11 a policy ends an attempt that takes more turns than it allows",
    check(rules) {
      const policies = [{ name: "few", then: "warn", maxTurns: 3 }];
      const { state, attempt } = atWork({ settings: { policies } });
      attempt.spent = { ...attempt.spent, turns: 4 };
      decides(state, LATER, rules, "PolicyApplied s0#1");
    },
  },
  {
    title: "G2 a run that a shutdown paused goes on with the next owner",
    check: (rules) => {
      decides(shut(), LATER, rules, "RunResumed");
    },
  },
  {
    title: "G2 and is due at once",
    check: (rules) => {
      dueIs(shut(), LATER, rules, LATER + 1);
    },
  },
  {
    title: "W5 a cancelled run whose work was accepted is cancelled again",
    check(rules) {
      const state = given(...IN_STATE.cancelled, { type: "RunReopened", data: {} });
      state.workspace.commit.endsAs = "cancelled";
      decides(state, state.at, rules, "RunCancelled");
    },
  },
  {
    title: "R7 a stale run has a deadline of its own",
    check(rules) {
      const state = stale();
      const due = staleDue(state, rules);
      const { resumeMs } = state.settings.stale;
      assert.ok(due >= state.at + resumeMs / 2 && due <= state.at + resumeMs);
    },
  },
  {
    title: "R7 a stale run is tried again when it is due",
    check(rules) {
      const state = stale();
      decides(state, state.at + state.settings.stale.resumeMs, rules, "RunResumed");
    },
  },
  {
    title: "R7 nobody leaves a stale run that is due",
    check(rules) {
      const state = stale();
      rests(state, state.at, rules, true);
      rests(state, state.at + state.settings.stale.resumeMs, rules, false);
    },
  },
  {
    title: "A9 a question of an agent that is gone is nobody's any more",
    check(rules) {
      const ask = { attempt: "work#7", id: "1" };
      const state = given(...IN_STATE.running, blockedBy({ reason: "approval_transition", ask } as never));
      assert.equal(state.status, "awaiting_approval");
      decides(state, LATER, rules, "RunUnblocked");
    },
  },
  {
    title: "G5 requests are answered where nobody watches the run",
    check(rules) {
      const state = given(...IN_STATE.running);
      const request = { id: "r1", request: { kind: "pause" }, by: "ada", principal: { name: "ada" } };
      state.requests.push(request as never);
      assert.ok(decideRequests(state, LATER, rules).some(({ type }) => type === "RequestAnswered"));
    },
  },
  {
    title:
      "G5 people are told of a block, a stop is settled and what is settled is dropped where nobody watches the run",
    check(rules) {
      const unowned = (state: RunState): string[] =>
        decideRequests(state, LATER, rules).map(({ type }) => type);
      assert.deepEqual(unowned(given(...IN_STATE.blocked)), ["EscalationRaised"]);
      const stopping: RunEvent = { type: "RunStopping", data: { to: "paused", stop: "operator" } };
      assert.deepEqual(unowned(given(...IN_STATE.running, stopping)), ["RunPaused"]);
      const ended = given(...IN_STATE.completed);
      ended.alarms["a1"] = ALARM;
      assert.deepEqual(unowned(ended), ["AlarmDropped"]);
    },
  },
  ...(["queued", "running", "pausing"] as const).map((status): RuleCase => ({
    title: `G5 whoever asks something of a run that is ${status} sees to a supervisor`,
    check: (rules) => {
      assert.equal(isOwed(given(...IN_STATE[status]), rules), true);
    },
  })),
  ...OWED.map(([what, put]): RuleCase => ({
    title: `G5 whoever asks something of a paused run that has ${what} sees to a supervisor`,
    check(rules) {
      const state = given(...IN_STATE.paused);
      assert.equal(isOwed(state, rules), false);
      put(state);
      assert.equal(isOwed(state, rules), true);
    },
  })),
];

/** Its files were looked at at 1 000, and are every 7 s; nothing else is due so early. */
function bound(): { state: RunState } {
  const { state } = atWork({ settings: { drift: { when: "auto", everyMs: 7_000 } } });
  Object.assign(state.binding, { source: { config: "/c", flow: null }, lookedAt: SECOND });
  return { state };
}
