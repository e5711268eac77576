import assert from "node:assert/strict";
import { test } from "node:test";
import { AUTOPILOT, PlayedMission } from "./played-mission.ts";

const ws = (id: string, more: object = {}): object => ({ id, repository: "api", goal: id, ...more });

const refusal = (mission: PlayedMission, workstream: string, retry = true): string => {
  const answer = mission.ask({ kind: "launch", workstream, retry });
  return answer.kind === "refused" ? answer.reason : "launched";
};

const stopOf = ({ state }: PlayedMission): string | undefined => state.autopilotStop?.reason;

test("G15 the autopilot launches waves: what is ready, and what needs it only when that is done", () => {
  const mission = new PlayedMission({
    workstreams: [ws("a"), ws("b", { repository: "web" }), ws("c", { needs: ["a"] })],
  });
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  mission.turn();
  assert.deepEqual(mission.launched, ["m.a.1", "m.b.1"]);
  mission.done("m.a.1");
  assert.deepEqual(mission.launched.length, 2, "the wave is not over");
  mission.done("m.b.1");
  assert.deepEqual(mission.launched.at(-1), "m.c.1");
  assert.deepEqual(mission.state.goals["c"]?.runs[0]?.on, ["c.m.a.1"]);
  mission.done("m.c.1");
  assert.equal(stopOf(mission), "ready_to_accept");
});

test("G15 files reach those that need them, and decisions everybody who is launched later", () => {
  const mission = new PlayedMission({
    workstreams: [
      ws("a", { artifacts: ["plan.md"], decisions: "decided.md" }),
      ws("b", { needs: ["a"] }),
      ws("c", { repository: "web", needs: ["b"] }),
      ws("d", { repository: "web" }),
    ],
    concurrency: 1,
  });
  const artifact = (path: string) => ({ path, digest: "d", bytes: 1 });
  mission.ask({ kind: "launch", workstream: "a", retry: false });
  mission.done("m.a.1", { artifacts: [artifact("plan.md"), artifact("decided.md")] });
  for (const id of ["b", "d"]) mission.ask({ kind: "launch", workstream: id, retry: false });
  mission.done("m.b.1");
  mission.ask({ kind: "launch", workstream: "c", retry: false });
  const handed = (id: string) => mission.state.goals[id]?.runs[0]?.handed.map(({ path }) => path);
  assert.deepEqual(
    [handed("b"), handed("c"), handed("d")],
    [["plan.md", "decided.md"], ["plan.md", "decided.md"], ["decided.md"]],
  );
});

test("G15 barriers open for all, any or those named, and only if their conditions hold or a person lets them pass", () => {
  const barriers = {
    all: { of: ["a", "b"] },
    any: { of: ["a", "b"], when: "any" },
    named: { of: ["a", "b"], when: ["b"] },
    held: { of: ["a"], if: [{ workstream: "a", artifact: "a.json", at: "/ok", is: true }] },
    asked: { of: ["a"], approval: true },
  };
  const mission = new PlayedMission({
    workstreams: [ws("a", { artifacts: ["a.json"] }), ws("b"), ws("c", { needs: ["held"] })],
    barriers,
  });
  assert.deepEqual(mission.ask({ kind: "pass", barrier: "asked" }).kind, "refused");
  for (const id of ["a", "b"]) mission.ask({ kind: "launch", workstream: id, retry: false });
  mission.done("m.a.1", { values: { "a.json#/ok": false } });
  assert.deepEqual(Object.keys(mission.state.barriers), ["any"]);
  mission.done("m.b.1");
  assert.deepEqual(Object.keys(mission.state.barriers).sort(), ["all", "any", "named"]);
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  mission.turn();
  assert.equal(stopOf(mission), "barrier_held");
  mission.ask({ kind: "pass", barrier: "held" });
  assert.equal(refusal(mission, "c", false), "launched");
});

test("G15 of a barrier the workstreams that are not left out decide; where all are left out a person lets it pass", () => {
  const barriers = { both: { of: ["a", "b"] }, named: { of: ["a", "b"], when: ["a"] } };
  const mission = new PlayedMission({
    workstreams: [ws("a"), ws("b"), ws("c", { needs: ["both", "named"] })],
    barriers,
  });
  const open = (): string[] => Object.keys(mission.state.barriers).sort();
  mission.ask({ kind: "skip", workstream: "a" });
  mission.ask({ kind: "launch", workstream: "b", retry: false });
  mission.turn();
  assert.deepEqual(open(), [], "nothing opens because work was left out");
  assert.deepEqual(mission.ask({ kind: "pass", barrier: "both" }).kind, "refused");
  mission.done("m.b.1");
  assert.deepEqual(open(), ["both"]);
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  mission.turn();
  assert.equal(stopOf(mission), "barrier_held");
  assert.deepEqual(mission.ask({ kind: "pass", barrier: "named" }).kind, "done");
  assert.equal(refusal(mission, "c", false), "launched");
});

test("G15 a retry is refused for each reason by which it is unsafe, and launches exactly one run otherwise", () => {
  const barriers = { some: { of: ["a", "b"], when: "any" } };
  const mission = new PlayedMission({
    workstreams: [ws("a"), ws("b"), ws("c", { repository: "web", needs: ["some"] })],
    barriers,
  });
  assert.equal(refusal(mission, "a"), "not_retryable");
  for (const id of ["a", "b"]) mission.ask({ kind: "launch", workstream: id, retry: false });
  mission.run("m.a.1", {});
  assert.equal(refusal(mission, "a"), "not_retryable");
  mission.fails("m.a.1");
  mission.fails("m.b.1");
  assert.equal(refusal(mission, "a"), "several_failures");
  mission.done("m.b.1");
  mission.repository("api", { dirty: ["draft.txt"] });
  assert.equal(refusal(mission, "a"), "repository_dirty");
  mission.repository("api", { dirty: [], stand: null });
  assert.equal(refusal(mission, "a"), "repository_missing");
  mission.repository("api", { stand: { branch: "main", commit: "0" }, otherOwner: "the mission x (y)" });
  assert.equal(refusal(mission, "a"), "another_owner");
  mission.repository("api", { otherOwner: null });
  mission.run("m.a.1", { status: "running" });
  assert.equal(refusal(mission, "a"), "not_retryable");
  mission.run("m.a.1", { status: "failed" });
  mission.ask({ kind: "launch", workstream: "c", retry: false });
  assert.equal(refusal(mission, "a"), "dependents_dispatched");
  mission.ask({ kind: "skip", workstream: "c" });
  const other = new PlayedMission({ workstreams: [ws("a")] });
  other.ask({ kind: "launch", workstream: "a", retry: false });
  other.fails("m.a.1");
  assert.equal(refusal(other, "a"), "launched");
  assert.deepEqual(other.launched, ["m.a.1", "m.a.2"]);
  assert.deepEqual(
    other.state.goals["a"]?.runs.map(({ end }) => end?.kind ?? null),
    ["failed", null],
  );
});

test("G15 a failed workstream whose run got there after all is done: a retry launches nothing and warns", () => {
  const mission = new PlayedMission({ workstreams: [ws("a")] });
  mission.ask({ kind: "launch", workstream: "a", retry: false });
  mission.fails("m.a.1");
  const work = { commit: "c1", from: "c0", artifacts: [], decisions: null, values: {} };
  mission.children.set("m.a.1", { ...mission.children.get("m.a.1")!, status: "completed", work });
  const answer = mission.ask({ kind: "launch", workstream: "a", retry: true });
  assert.deepEqual([answer.kind, mission.launched.length], ["done", 1]);
  assert.match(answer.kind === "done" ? (answer.warning ?? "") : "", /has not recorded it yet/);
  mission.turn();
  assert.equal(mission.state.goals["a"]?.end?.kind, "done");
});

test("G15 the autopilot retries within its budgets, and stops by name", () => {
  const mission = new PlayedMission({ workstreams: [ws("a"), ws("b"), ws("c", { needs: ["a"] })] });
  mission.ask({ kind: "autopilot", autopilot: { ...AUTOPILOT, autoRetry: true, retries: 1 } });
  mission.turn();
  mission.fails("m.a.1");
  mission.done("m.b.1");
  assert.equal(mission.launched.at(-1), "m.a.2");
  mission.fails("m.a.2");
  assert.equal(stopOf(mission), "retries_exhausted");
  mission.repository("api", { dirty: ["draft.txt"] });
  mission.ask({ kind: "autopilot", autopilot: { ...AUTOPILOT, autoRetry: true, retries: 1 } });
  mission.turn();
  assert.equal(stopOf(mission), "retry_unsafe");
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  mission.turn();
  assert.equal(stopOf(mission), "workstream_failed");
  mission.ask({ kind: "skip", workstream: "a" });
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  mission.turn();
  assert.equal(stopOf(mission), "nothing_ready");
});

/** Two workstreams in two repositories, done and approved. */
function approved(): PlayedMission {
  const mission = new PlayedMission({ workstreams: [ws("a"), ws("b", { repository: "web" })] });
  for (const id of ["a", "b"]) mission.ask({ kind: "launch", workstream: id, retry: false });
  mission.done("m.a.1");
  mission.done("m.b.1");
  return mission;
}

test("G15 nothing is asked of a run before every repository is as it has to be; then all of it, in order", () => {
  for (const [fact, kind] of [
    [{ dirty: ["x"] }, "repository_dirty"],
    [{ stand: null }, "repository_missing"],
    [{ stand: { branch: "other", commit: "0" } }, "branch_switched"],
    [{ keepsBase: false }, "history_rewritten"],
  ] as const) {
    const mission = approved();
    mission.repository("web", fact);
    mission.ask({ kind: "approve" });
    mission.turn();
    assert.deepEqual(
      [mission.state.acceptance?.block?.kind, mission.types.includes("AcceptanceAsked")],
      [kind, false],
    );
  }
  const mission = approved();
  mission.rehearsed.set("b", "conflict");
  mission.ask({ kind: "approve" });
  mission.turn();
  assert.equal(mission.state.acceptance?.block?.kind, "merge_conflict");
  mission.rehearsed.clear();
  mission.turn();
  assert.deepEqual(mission.types.slice(-2), ["AcceptancePrepared", "AcceptanceAsked"]);
  mission.holds("c.m.a.1");
  mission.turn();
  assert.deepEqual(mission.types.slice(-2), ["WorkstreamAccepted", "AcceptanceAsked"]);
  mission.holds("c.m.b.1");
  mission.turn();
  assert.deepEqual(mission.types.slice(-2), ["WorkstreamAccepted", "MissionEnded"]);
});

test("G15 what the repositories hold outranks what the mission says, in both directions", () => {
  const mission = approved();
  mission.holds("c.m.b.1");
  assert.equal(mission.ask({ kind: "reconcile" }).kind, "done");
  assert.notEqual(mission.state.goals["b"]?.accepted, null);
  mission.ask({ kind: "approve" });
  mission.turn();
  mission.holds("c.m.a.1");
  mission.turn();
  assert.notEqual(mission.state.end, null);
  mission.holds("c.m.b.1", false);
  mission.ask({ kind: "reconcile" });
  assert.deepEqual(
    [mission.state.end, mission.state.goals["b"]?.accepted, mission.state.acceptance],
    [null, null, null],
  );
});

test("G15 a refusal of a run is left to a person; work that changes after its approval asks for another", () => {
  const mission = approved();
  mission.ask({ kind: "approve" });
  mission.turn();
  mission.run("m.a.1", { refusal: "a filter of yours decides" });
  assert.equal(mission.state.acceptance?.block?.kind, "accept_refused");
  const asked = mission.types.filter((type) => type === "AcceptanceAsked").length;
  mission.turn();
  assert.equal(mission.types.filter((type) => type === "AcceptanceAsked").length, asked);
  mission.run("m.a.1", { refusal: null });
  mission.done("m.b.1", { commit: "another" });
  assert.equal(mission.ask({ kind: "approve", digest: "zzz" }).kind, "refused");
  mission.ask({ kind: "approve" });
  mission.turn();
  assert.deepEqual(mission.state.acceptance?.work, { a: "c.m.a.1", b: "another" });
  assert.equal(mission.types.filter((type) => type === "AcceptanceAsked").length, asked + 1);
});
