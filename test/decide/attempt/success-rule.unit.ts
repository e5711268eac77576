import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { FlowRun, only } from "../flow-run.ts";

const CHECKED = { name: "f", steps: [{ name: "work", task: "t", checks: [{ run: "npm test" }] }] };
const BARE = { name: "f", steps: [{ name: "work", task: "t" }] };
const TRACKED = { checkpoints: { when: "always" } };
const UNTRACKED = { checkpoints: { when: "never" } };

const showed = (verdict: Evidence["verdict"], exitCode: number | null = verdict === "pass" ? 0 : 1) =>
  ({
    kind: "done",
    evidence: {
      command: "npm test",
      verdict,
      exitCode,
      signal: null,
      timedOut: false,
      outputBytes: 0,
      digest: "",
      excerpt: "",
      durationMs: 5,
    },
  }) as const satisfies EffectOutcome;

const kept = (digest: string): EffectOutcome => ({
  kind: "done",
  snapshot: { id: `s-${digest}`, digest, files: 1, branch: "main", commit: "c0", skipped: 0 },
});

/** The agent at work says this and exits. */
function ends(run: FlowRun, code: number, ...signals: Signal[]): void {
  const attempt = run.state.steps["work"]?.live ?? "";
  run.settle("StartAgent", { kind: "done" });
  const worked: Signal = { kind: "tool_call", name: "edit", args: "a" };
  const all: Signal[] = [worked, ...signals, { kind: "exit", how: "code", code }];
  run.turn([{ type: "SignalsHeard", data: { attempt, cursor: "9", signals: all } }]);
}

const claims = (text: string): Signal => ({ kind: "result", ok: true, text });
const isIntended = (run: FlowRun, kind: string): boolean =>
  Object.values(run.state.effects).some((effect) => effect.kind === kind);

interface Lived {
  readonly says: readonly Signal[];
  readonly code: number;
  readonly changes: boolean;
  readonly after: Evidence["verdict"];
}
const LIVED: Lived = { says: [claims("Done.")], code: 0, changes: false, after: "pass" };

/** What becomes of a step whose check shows `before` and `after`, and whose files are changed or not. */
function lived(before: Evidence["verdict"], how: Partial<Lived> = {}): FlowRun {
  const { says, code, changes, after } = { ...LIVED, ...how };
  const run = new FlowRun(CHECKED, TRACKED);
  run.settle("before/RunCheck", showed(before));
  run.settle("TakeCheckpoint", kept("empty"));
  ends(run, code, ...says);
  while (run.state.steps["work"]?.status !== "succeeded" && run.state.steps["work"]?.started === 1) {
    if (isIntended(run, "TakeCheckpoint")) run.settle("TakeCheckpoint", kept(changes ? "made" : "empty"));
    else if (isIntended(run, "RunCheck")) run.settle("RunCheck", showed(after));
    else break;
    if (run.state.steps["work"]?.status === "pending") break;
  }
  return run;
}

const basis = (run: FlowRun): string | null =>
  run.state.steps["work"]?.status === "succeeded" ? (run.state.steps["work"].basis ?? "none") : null;

test("B4 a check that was red before and is green after is success, no matter what the last word was", () => {
  assert.equal(basis(lived("fail")), "red_to_green");
  assert.equal(basis(lived("fail", { says: [] })), "red_to_green");
  assert.equal(basis(lived("fail", { says: [claims("Error: Rate limit exceeded")] })), "red_to_green");
  assert.equal(basis(lived("fail", { says: [claims("I can't help with that.")] })), "red_to_green");
  assert.equal(basis(lived("fail", { says: [], code: 1 })), "red_to_green");
});

test("B4 a last word that is a limit counts where the check is red still, and is not charged", () => {
  const run = lived("fail", { says: [claims("Error: Rate limit exceeded")], after: "fail" });
  const [end] = only(run.events, "AttemptEnded");
  assert.deepEqual([end?.outcome, end?.charged, end?.failure?.class], ["failed", false, "rate_limited"]);
  assert.equal(run.state.steps["work"]?.checkFails, 0);
});

test("B4 a check that was green before counts only with a change, or with an explicit nothing to do", () => {
  assert.equal(basis(lived("pass")), null);
  assert.equal(basis(lived("pass", { says: [] })), null);
  assert.equal(basis(lived("pass", { changes: true })), "changed");
  assert.equal(basis(lived("pass", { says: [], changes: true })), "changed");
  assert.equal(basis(lived("pass", { says: [claims("Nothing to do: it is there.")] })), "nothing_to_do");
  assert.equal(basis(lived("pass", { says: [claims("Error: no key")], changes: true })), null);
  assert.equal(basis(lived("pass", { says: [], code: 1, changes: true })), null);
});

test("B4 an agent that changed nothing is informed that its checks show nothing, and a person is asked in the end", () => {
  const run = lived("pass");
  assert.match(
    run.state.steps["work"]?.feedback ?? "",
    /passed before you began as well, no file was changed/,
  );
  run.settle("TakeCheckpoint", kept("empty"));
  ends(run, 0, claims("Done."));
  run.settle("TakeCheckpoint", kept("empty"));
  run.settle("RunCheck", showed("pass"));
  run.settle("TakeCheckpoint", kept("empty"));
  assert.equal(run.state.blocked?.reason, "retries_exhausted");
});

test("B4 work of an earlier attempt counts as a change of the step", () => {
  const run = new FlowRun(CHECKED, TRACKED);
  run.settle("before/RunCheck", showed("pass"));
  run.settle("TakeCheckpoint", kept("empty"));
  ends(run, 0, claims("Error: the stream was cut"));
  run.turn([], 60_000);
  run.settle("TakeCheckpoint", kept("made"));
  ends(run, 0, claims("All is done."));
  run.settle("TakeCheckpoint", kept("made"));
  run.settle("RunCheck", showed("pass"));
  assert.equal(basis(run), "changed");
});

test("B4 a check that could not be run before is information: passing now it shows work", () => {
  const run = new FlowRun(CHECKED, UNTRACKED);
  run.settle("before/RunCheck", showed("unknown", 127));
  ends(run, 0, claims("Done."));
  run.settle("RunCheck", showed("pass"));
  assert.equal(basis(run), "red_to_green");
});

test("B4 where no tree is tracked a claim carries checks that were green before, and the run is not READY", () => {
  const run = new FlowRun(CHECKED, UNTRACKED);
  run.settle("before/RunCheck", showed("pass"));
  ends(run, 0, claims("Done."));
  run.settle("RunCheck", showed("pass"));
  assert.equal(basis(run), "claim");
  assert.equal(run.state.reality.verdict, "NEEDS WORK");
  const silent = new FlowRun(CHECKED, UNTRACKED);
  silent.settle("before/RunCheck", showed("pass"));
  ends(silent, 0);
  silent.settle("RunCheck", showed("pass"));
  assert.equal(basis(silent), null);
});

test("G6 a baseline whose outcome is not learnt is run again, three times, and then nothing is known of it", () => {
  const run = new FlowRun(CHECKED, UNTRACKED);
  for (let nth = 0; nth < 3; nth += 1) run.settle("before/RunCheck", showed("unknown", null));
  ends(run, 0, claims("Done."));
  run.settle("RunCheck", showed("pass"));
  assert.equal(basis(run), "checks");
});

test("G6 no baseline is run where the settings say so", () => {
  const run = new FlowRun(CHECKED, { ...UNTRACKED, checks: { baseline: false } });
  assert.deepEqual(run.live, ["work"]);
});

test("G6 what a check has shown of the same files is not run again before the next step", () => {
  const steps = ["a", "b"].map((name, at) => ({
    name,
    task: "t",
    checks: [{ run: "npm test" }],
    ...(at === 0 ? {} : { needs: ["a"] }),
  }));
  const run = new FlowRun({ name: "f", steps }, TRACKED);
  run.settle("before/RunCheck", showed("fail"));
  run.settle("TakeCheckpoint", kept("empty"));
  run.end("a");
  run.settle("RunCheck", showed("pass"));
  run.settle("TakeCheckpoint", kept("made"));
  assert.deepEqual(run.live, ["b"]);
  assert.deepEqual(
    run.state.steps["b"]?.before.checks.map(({ verdict }) => verdict),
    ["pass"],
  );
});

test("A5 a program that says nothing when it is done is believed where its files have changed", () => {
  for (const [digest, outcome] of [
    ["made", "succeeded"],
    ["empty", "failed"],
  ] as const) {
    const run = new FlowRun(BARE, TRACKED);
    const { agents } = run.state;
    agents["dev"] = { use: "tmux", command: ["bash"] };
    run.settle("TakeCheckpoint", kept("empty"));
    ends(run, 0);
    run.settle("TakeCheckpoint", kept(digest));
    assert.deepEqual(
      only(run.events, "AttemptEnded").map((end) => end.outcome),
      [outcome],
    );
  }
  const speaking = new FlowRun(BARE, TRACKED);
  speaking.state.agents["dev"] = { use: "claude" };
  speaking.settle("TakeCheckpoint", kept("empty"));
  ends(speaking, 0);
  assert.deepEqual(
    only(speaking.events, "AttemptEnded").map((end) => end.outcome),
    ["failed"],
  );
});

test("B4 status and report say what success rests on", () => {
  const run = lived("pass", { says: [claims("Nothing to do.")] });
  const [checked] = only(run.events, "StepChecked");
  assert.equal(checked?.basis, "nothing_to_do");
  assert.deepEqual(
    statusView(run.state, null).steps.map(({ rests }) => rests),
    ["checks were green before; nothing changed; the agent says: nothing to do"],
  );
});
