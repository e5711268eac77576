import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import type { RequestAnswer, RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const SNAPSHOT = EXAMPLES.CheckpointTaken.snapshot;
const TREE = EXAMPLES.WorktreeCreated;
const GATE = "phase:first";

type Of<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** A run with a step before an approval gate, whose effects are answered as soon as they are wished, but for the kinds in `held`. */
class GatedRun {
  readonly state: RunState;
  readonly events: RunEvent[] = [];
  files = "first";
  held: Effect["kind"][] = [];
  readonly done: Effect[] = [];

  constructor(settings: object) {
    const flow = flowSchema.parse({
      name: "gated",
      steps: [{ name: "a", task: "t", agent: "dev", phase: "first" }],
      phases: [{ name: "first", gate: { name: "release", kind: "approval" } }],
    });
    const parsed = runSettingsSchema.parse(settings);
    const data = { ...EXAMPLES.RunCreated, flow, settings: parsed };
    this.state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
    this.take({ type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody" } });
  }

  take(...received: RunEvent[]): void {
    this.events.push(...takeTurn(this.state, received, this.state.at + 1_000));
    for (let open = this.next(); open !== undefined; open = this.next()) {
      const [key, effect] = open;
      this.done.push(effect);
      const settled: RunEvent = { type: "EffectSettled", data: { key, outcome: this.answer(effect) } };
      const ended = effect.kind === "StartAgent" ? [over(effect.attempt)] : [];
      this.events.push(...takeTurn(this.state, [settled, ...ended], this.state.at + 1_000));
    }
  }

  next(): [string, Effect] | undefined {
    return Object.entries(this.state.effects).find(([, { kind }]) => !this.held.includes(kind));
  }

  answer(effect: Effect): EffectOutcome {
    const answer = (this.#answers as Partial<Record<Effect["kind"], () => EffectOutcome>>)[effect.kind];
    if (effect.kind !== "TakeCheckpoint") return answer?.() ?? { kind: "done" };
    const snapshot = { ...SNAPSHOT, id: `${this.files} at ${effect.checkpoint}`, digest: this.digest };
    return {
      kind: "done",
      snapshot: { ...snapshot, ...(effect.since === undefined ? {} : { changed: 0 }) },
    };
  }

  readonly #answers = {
    CreateWorktree: (): EffectOutcome => ({ kind: "done", place: { kind: "created", worktree: TREE } }),
    RemoveWorktree: (): EffectOutcome => ({ kind: "done", place: { kind: "removed", snapshot: "0a" } }),
    CommitWork: (): EffectOutcome => {
      const { commit, branch, files, count } = EXAMPLES.WorkCommitted;
      return { kind: "done", place: { kind: "committed", commit, branch, files, count } };
    },
    RestoreCheckpoint: (): EffectOutcome => {
      this.files = "restored";
      return { kind: "done", restored: { before: "0b", written: 1, removed: 0, left: 0 } };
    },
  };

  get digest(): string {
    return Buffer.from(this.files).toString("hex").padEnd(64, "0");
  }

  ask(request: RunRequest): RequestAnswer {
    const requestId = `req_${String(this.state.seq)}`;
    this.take({ type: "RequestHeard", data: { requestId, request, by: "ann" } });
    const answered = this.events.find(
      (event) => event.type === "RequestAnswered" && event.data.requestId === requestId,
    );
    assert.ok(answered?.type === "RequestAnswered");
    return answered.data.answer;
  }

  ofKind<Kind extends Effect["kind"]>(kind: Kind): Of<Kind>[] {
    return this.done.filter((effect): effect is Of<Kind> => effect.kind === kind);
  }

  /** What was looked at for the gate: the trees, in order. */
  get looks(): string[] {
    return this.ofKind("TakeCheckpoint").flatMap(({ gate, tree }) => (gate === undefined ? [] : [tree]));
  }
}

const over = (attempt: string): RunEvent => ({
  type: "SignalsHeard",
  data: {
    attempt,
    cursor: "2",
    signals: [
      { kind: "result", ok: true, text: "done" },
      { kind: "exit", how: "code", code: 0 },
    ],
  },
});

const APART = { workspace: { isolation: "run", cleanup: "ended" } };
const KEPT = { checkpoints: { when: "always" } };

test("G4 W3 a gate does not ask before the run is where it was put back to", () => {
  const run = new GatedRun(APART);
  assert.equal(run.state.blocked?.gate, "release");
  run.ask({ kind: "cancel" });
  assert.equal(run.state.workspace.worktree, null);

  run.held = ["CreateWorktree"];
  run.ask({ kind: "restore", checkpoint: "c1" });
  run.ask({ kind: "resume" });
  assert.deepEqual([run.state.status, run.looks], ["running", [TREE.tree]]);
  run.held = [];
  run.take();
  assert.deepEqual(
    [run.state.status, run.state.steps["a"]?.started, run.looks],
    ["awaiting_approval", 2, [TREE.tree, TREE.tree]],
  );
  assert.equal(run.ask({ kind: "approve", gate: "release" }).kind, "done");
  assert.equal(run.state.status, "completed");
});

test("G4 W1 a gate of a run that is reopened asks about the run's own tree, which is made again for it", () => {
  for (const approve of [{}, { completion: true }]) {
    const run = new GatedRun({ ...APART, approve });
    if (approve.completion === true) run.ask({ kind: "approve" });
    run.ask({ kind: "cancel" });
    assert.equal(run.state.workspace.worktree, null);
    const before = run.looks.length;
    run.ask({ kind: "reopen" });
    run.ask({ kind: "resume" });
    assert.equal(run.state.status, "awaiting_approval");
    assert.equal(run.ofKind("CreateWorktree").length, 2);
    assert.deepEqual(run.looks.slice(before), [TREE.tree]);
  }
});

test("G4 W1 a gate does not look at a tree that is being removed", () => {
  const run = new GatedRun(APART);
  run.held = ["RemoveWorktree"];
  run.ask({ kind: "cancel" });
  run.ask({ kind: "reopen" });
  run.ask({ kind: "resume" });
  assert.deepEqual([run.state.status, run.looks.length], ["running", 1]);
  run.held = [];
  run.take();
  assert.deepEqual(run.looks, [TREE.tree, TREE.tree]);
});

test("G4 W3 what was seen and approved of other files does not count once the run was put back", () => {
  const run = new GatedRun({ ...KEPT, approve: { completion: true } });
  const [shown] = Object.values(run.state.checkpoints).filter(({ cause }) => cause === "asked");
  assert.ok(shown !== undefined);
  const first = run.digest;
  // The step was done before that checkpoint, so that nothing is worked again.
  run.ask({ kind: "cancel" });
  assert.equal(run.ask({ kind: "restore", checkpoint: shown.id }).kind, "done");
  assert.equal(run.state.gates[GATE]?.asked, null);
  run.ask({ kind: "resume" });
  assert.deepEqual([run.state.steps["a"]?.started, run.state.blocked?.digest], [1, run.digest]);
  assert.equal(run.ask({ kind: "approve", gate: "release", digest: first }).kind, "refused");
  run.ask({ kind: "approve", gate: "release" });
  run.ask({ kind: "approve", gate: "completion" });
  assert.equal(run.state.status, "completed");

  run.files = "others";
  run.ask({ kind: "restore", checkpoint: shown.id });
  run.ask({ kind: "resume" });
  assert.deepEqual([run.state.status, run.state.blocked?.gate], ["awaiting_approval", "completion"]);
});

test("G4 a question whose work was given out again is withdrawn, and asked once that is done", () => {
  const run = new GatedRun(KEPT);
  assert.equal(run.state.status, "awaiting_approval");
  // As a journal says that an earlier version wrote.
  run.take({ type: "StepReset", data: { step: "a" } });
  assert.deepEqual([run.state.status, run.state.steps["a"]?.started], ["awaiting_approval", 2]);
  assert.equal(run.ask({ kind: "approve", gate: "release" }).kind, "done");
  assert.equal(run.state.status, "completed");
});
