import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayedMission } from "./played-mission.ts";
import type { MissionSpec } from "../../../src/model/mission/mission-spec.ts";

const AUTOPILOT = { autoRetry: false, retries: 0, missionRetries: 0, continueOnFailure: true };

const WORK = [
  { id: "plan", repository: "api", goal: "plan it" },
  { id: "build", repository: "api", goal: "build it", needs: ["plan"] },
  { id: "page", repository: "web", goal: "write the page", needs: ["build"] },
];

/** `plan` is done, `build` has failed, `page` was never launched. */
function failedMission(): PlayedMission {
  const mission = new PlayedMission({ workstreams: WORK });
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  while (mission.turn().length > 0);
  mission.done("m.plan.1");
  mission.fails("m.build.1");
  return mission;
}

/** The mission's plan with other workstreams. */
function planOf({ state }: PlayedMission, workstreams: readonly object[]): MissionSpec {
  const { spec } = state;
  assert.ok(spec !== null);
  const whole = workstreams.map((one) => ({
    needs: [],
    artifacts: [],
    ...one,
  })) as unknown as MissionSpec["workstreams"];
  return { ...spec, workstreams: whole, order: whole.map(({ id }) => id) };
}

const reasonOf = (answer: ReturnType<PlayedMission["ask"]>): string =>
  answer.kind === "refused" ? answer.reason : answer.kind;

const states = ({ state }: PlayedMission): string[] =>
  Object.values(state.goals).map(({ goal, status, end }) => `${goal.id} ${end?.kind ?? status}`);

test("R6 G15 after a failure what is left is planned again: what is done stays, and what failed keeps its history", () => {
  const mission = failedMission();
  const [plan] = WORK;
  const other = { id: "smaller", repository: "web", goal: "build less", needs: ["plan"] };
  assert.equal(reasonOf(mission.ask({ kind: "replan", spec: planOf(mission, [plan ?? {}, other]) })), "done");
  assert.deepEqual(states(mission), ["plan done", "build skipped", "smaller queued"]);
  assert.deepEqual(
    mission.state.goals["build"]?.runs.map(({ run }) => run),
    ["m.build.1"],
  );
  mission.ask({ kind: "autopilot", autopilot: AUTOPILOT });
  while (mission.turn().length > 0);
  assert.deepEqual(mission.launched, ["m.plan.1", "m.build.1", "m.smaller.1"], "plan is not launched again");
  mission.done("m.smaller.1");
  assert.equal(mission.ask({ kind: "approve" }).kind, "done");
});

test("R6 G15 a failed workstream that is written otherwise is launched again under its next number; one that is not stays failed", () => {
  const mission = failedMission();
  const [plan, build, page] = WORK;
  const same = [plan ?? {}, build ?? {}, { ...page, goal: "write a smaller page" }];
  mission.ask({ kind: "replan", spec: planOf(mission, same) });
  assert.deepEqual(states(mission), ["plan done", "build failed", "page queued"]);
  const changed = [plan ?? {}, { ...build, goal: "build less" }, page ?? {}];
  mission.ask({ kind: "replan", spec: planOf(mission, changed) });
  assert.deepEqual(states(mission), ["plan done", "build queued", "page queued"]);
  mission.ask({ kind: "launch", workstream: "build", retry: false });
  assert.deepEqual(mission.launched, ["m.plan.1", "m.build.1", "m.build.2"]);
});

test("R6 G15 to plan again is refused by name, and changes nothing then", () => {
  const fresh = new PlayedMission({ workstreams: WORK });
  const [plan, build, page] = WORK;
  const smaller = [plan ?? {}, { ...build, goal: "build less" }];
  assert.equal(reasonOf(fresh.ask({ kind: "replan", spec: planOf(fresh, smaller) })), "nothing_failed");
  const mission = failedMission();
  const before = mission.events.length;
  const without = planOf(mission, [{ ...build, needs: [] }]);
  assert.equal(reasonOf(mission.ask({ kind: "replan", spec: without })), "workstream_changed");
  const moved = planOf(mission, smaller);
  const web = { path: "/elsewhere", branch: "main", commit: "0".repeat(40) };
  const elsewhere = { ...moved, repositories: { ...moved.repositories, web } };
  assert.equal(reasonOf(mission.ask({ kind: "replan", spec: elsewhere })), "repository_changed");
  const same = planOf(mission, [plan ?? {}, build ?? {}, page ?? {}]);
  assert.equal(reasonOf(mission.ask({ kind: "replan", spec: same })), "done", "the same plan is no other");
  assert.equal(mission.events.length, before);
  for (const goal of ["build less", "build even less"]) {
    const spec = planOf(mission, [plan ?? {}, { ...build, goal }, page ?? {}]);
    assert.equal(reasonOf(mission.ask({ kind: "replan", spec })), "done", goal);
    mission.ask({ kind: "launch", workstream: "build", retry: false });
    mission.turn();
    mission.fails(mission.launched.at(-1) ?? "");
  }
  const third = planOf(mission, smaller);
  assert.equal(reasonOf(mission.ask({ kind: "replan", spec: third })), "replans_exhausted");
});
