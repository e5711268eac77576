import assert from "node:assert/strict";
import { test } from "node:test";
import { commitMessage, messageProblem } from "../../../src/decide/workspace/commit-message.ts";
import { decide } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { fold, settle } from "./settle.ts";

/** A run whose one step was done by an agent, in a tree that is kept at each transition. */
function worked(settings: Record<string, unknown>, branch: string | null = "work"): RunState {
  const data = {
    ...EXAMPLES.RunCreated,
    settings: runSettingsSchema.parse({ checkpoints: { when: "always" }, ...settings }),
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  fold(state, { type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody" } });
  settle(state);
  keep(state, branch);
  const [start] = Object.entries(state.effects);
  assert.equal(start?.[1].kind, "StartAgent");
  fold(state, { type: "EffectSettled", data: { key: start[0], outcome: { kind: "done" } } });
  return state;
}

/** The agent ends with success. */
function finish(state: RunState, branch: string | null = "work"): RunEvent[] {
  const result = { kind: "result", ok: true, text: "done" } as const;
  const exit = { kind: "exit", how: "code", code: 0 } as const;
  fold(state, {
    type: "SignalsHeard",
    data: { attempt: Object.keys(state.attempts)[0] ?? "", cursor: "1", signals: [result, exit] },
  });
  return [...settle(state), ...keep(state, branch)];
}

function openEffect<Kind extends Effect["kind"]>(
  state: RunState,
  kind: Kind,
): [string, Extract<Effect, { kind: Kind }>] {
  const found = Object.entries(state.effects).find(([, effect]) => effect.kind === kind);
  assert.ok(found !== undefined, `${kind} is not under way: ${JSON.stringify(state.effects)}`);
  return found as [string, Extract<Effect, { kind: Kind }>];
}

function outcome(state: RunState, kind: Effect["kind"], result: EffectOutcome): RunEvent[] {
  const [key] = openEffect(state, kind);
  fold(state, { type: "EffectSettled", data: { key, outcome: result } });
  return settle(state);
}

const keep = (state: RunState, branch: string | null): RunEvent[] =>
  outcome(state, "TakeCheckpoint", {
    kind: "done",
    snapshot: {
      id: `s${String(state.checkpointed)}`,
      digest: "",
      files: 1,
      branch,
      commit: "0c",
      skipped: 0,
    },
  });

function ask(state: RunState, request: RunRequest): RunEvent[] {
  fold(state, { type: "RequestHeard", data: { requestId: "req_1", request, by: "cli" } });
  return settle(state);
}

const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const committed: EffectOutcome = {
  kind: "done",
  place: { kind: "committed", commit: "0d", branch: "work", files: ["a"], count: 1 },
};

test("W5 a step's work is committed from what was kept before it to what was kept after it, onto the branch that was seen, before the run ends", () => {
  const state = worked({ commit: { when: "step" } });
  const events = finish(state);
  assert.ok(!types(events).includes("RunCompleted"));
  const [, effect] = openEffect(state, "CommitWork");
  assert.deepEqual(
    [effect.base, effect.snapshot, effect.expected],
    ["s1", "s2", { commit: "0c", branch: "work" }],
  );
  const after = outcome(state, "CommitWork", committed);
  assert.deepEqual(types(after), ["WorkCommitted", "RunCompleted"]);
  assert.deepEqual(state.workspace.commit.base, { tree: "/project", snapshot: "s2" });
});

test("W5 a branch that moved in between is looked at again, and after three times the run asks; the command it gives works", () => {
  const state = worked({ commit: { when: "step" } });
  finish(state);
  const moved = { kind: "done", place: { kind: "uncommitted", cause: "moved", why: "it moved" } } as const;
  assert.deepEqual(types(outcome(state, "CommitWork", moved)), ["EffectIntended"]);
  keep(state, "work");
  outcome(state, "CommitWork", moved);
  keep(state, "work");
  const asked = outcome(state, "CommitWork", moved);
  assert.deepEqual(types(asked).slice(0, 2), ["CommitRefused", "RunBlocked"]);
  assert.ok(state.blocked !== null);
  assert.equal(state.blocked.reason, "workspace_dirty");
  assert.deepEqual(recoveryArguments(state, state.blocked), ["commit", "run_1"]);
  assert.ok(types(ask(state, { kind: "commit" })).includes("RunUnblocked"));
  keep(state, "work");
  assert.ok(types(outcome(state, "CommitWork", committed)).includes("RunCompleted"));
});

test("W12 with the rule of feature branches nothing is committed on main, and the run says how to go on", () => {
  const state = worked({ commit: { when: "step", featureBranch: true } }, "main");
  finish(state, "main");
  assert.equal(state.blocked?.reason, "workspace_dirty");
  assert.match(state.blocked.detail, /main is not for features .* git switch -c holdfast\/run_1/);
});

test("W12 work in a worktree is committed every half hour while an agent is at it", () => {
  const state = worked({ commit: { when: "step" } });
  fold(state, { type: "WorktreeCreated", data: EXAMPLES.WorktreeCreated });
  const due = state.workspace.commit.committedAt + 30 * 60_000;
  assert.ok((nextDeadline(state, state.at) ?? Infinity) <= due);
  state.savedAt = due;
  const events = decide(state, due);
  assert.deepEqual(types(events), ["CommitWanted"]);
  assert.deepEqual(
    decide(state, due - 1)
      .map(({ type }) => type)
      .includes("CommitWanted"),
    false,
  );
});

test("W5 a completed run commits when asked and is completed again; one that failed is paused; a second wish waits", () => {
  const state = worked({});
  finish(state);
  assert.equal(state.status, "completed");
  const events = ask(state, { kind: "commit", files: ["a"] });
  assert.ok(types(events).includes("CommitWanted"));
  assert.equal(state.status, "running");
  const again = ask(state, { kind: "commit" }).at(-1);
  assert.ok(again?.type === "RequestAnswered" && again.data.answer.kind === "refused");
  keep(state, "work");
  assert.deepEqual(openEffect(state, "CommitWork")[1].files, ["a"]);
  outcome(state, "CommitWork", committed);
  assert.equal(state.status, "completed");
  assert.deepEqual(state.workspace.commit.owed, ["work"], "what was not named is still to be committed");
});

test("W5 G3 where nothing was kept before the agents began, a commit of named files ends what is asked for", () => {
  const state = worked({ commit: { when: "step" } });
  state.workspace.commit.base = null;
  finish(state);
  assert.equal(openEffect(state, "CommitWork")[1].base, null);
  const unknown = {
    kind: "done",
    place: { kind: "uncommitted", cause: "refused", why: "name the files" },
  } as const;
  outcome(state, "CommitWork", unknown);
  assert.equal(state.blocked?.reason, "workspace_dirty");
  ask(state, { kind: "commit", files: ["a"] });
  keep(state, "work");
  const { snapshot, tree } = openEffect(state, "CommitWork")[1];
  assert.deepEqual(types(outcome(state, "CommitWork", committed)), ["WorkCommitted", "RunCompleted"]);
  assert.deepEqual([state.workspace.commit.owed, state.workspace.commit.base], [[], { tree, snapshot }]);
});

test("W12 P4 a message that breaks a rule is refused with the rule; one that is made keeps them all", () => {
  const rules = runSettingsSchema.parse({ commit: { conventional: true, subjectMax: 30 } }).commit;
  assert.match(messageProblem("", rules) ?? "", /first line is empty/);
  assert.match(messageProblem("x".repeat(31), rules) ?? "", /31 characters; expected at most 30/);
  assert.match(messageProblem("fix: a\nb", rules) ?? "", /second line is not empty/);
  assert.match(messageProblem("mend it", rules) ?? "", /begins with no type/);
  assert.equal(messageProblem("fix(parser)!: mend it\n\nat last", rules), null);
  const state = worked({
    commit: { conventional: true, subjectMax: 30, signOff: true, author: "A B <a@b>" },
  });
  const [subject = "", ...rest] = commitMessage(state, { step: "work", message: null }).split("\n");
  assert.equal(messageProblem([subject, ""].join("\n"), rules), null);
  assert.ok(rest.includes("Signed-off-by: A B <a@b>"));
});
