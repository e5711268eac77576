import assert from "node:assert/strict";
import { test } from "node:test";
import { replayMission } from "../../../sim/mission/mission-violations.ts";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { REPLANS_MAX } from "../../../src/decide/mission/replan-mission.ts";
import { isAllDone, isFailed } from "../../../src/decide/mission/workstreams.ts";
import { isEnded } from "../../../src/model/state/run-status.ts";
import { DAY_SEED, PLAY_WHOLE, printSample } from "../../day-sample.ts";
import { AUTOPILOT, PlayedMission } from "./played-mission.ts";

const ALL = 2_000;
const OF_THE_DAY = 100;
const ROUNDS_MAX = 400;

function draw(chance: () => number): PlayedMission {
  const count = 1 + Math.floor(chance() * 7);
  const ids = Array.from({ length: count }, (_, at) => `w${String(at)}`);
  const barriers: Record<string, object> = {};
  const workstreams = ids.map((id, at) => {
    const before = ids.slice(0, at).filter(() => chance() < 0.4);
    const barrier = before.length > 1 && chance() < 0.4 ? `b${String(at)}` : null;
    const when = chance() < 0.5 ? "any" : "all";
    if (barrier !== null) barriers[barrier] = { of: before, when, approval: chance() < 0.3 };
    return {
      id,
      repository: chance() < 0.5 ? "api" : "web",
      goal: id,
      needs: barrier === null ? before : [barrier],
    };
  });
  return new PlayedMission({ workstreams, barriers, concurrency: 1 + Math.floor(chance() * 3) });
}

/** People, agents and repositories do whatever they like. */
function disturb(mission: PlayedMission, chance: () => number): void {
  const ids = Object.keys(mission.state.goals);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(chance() * items.length)];
  const id = pick(ids) ?? "";
  const what = chance();
  if (what < 0.15) mission.ask({ kind: "launch", workstream: id, retry: chance() < 0.7 });
  else if (what < 0.18) mission.ask({ kind: "skip", workstream: id });
  else if (what < 0.25) mission.ask({ kind: chance() < 0.5 ? "stop" : "pause" });
  else if (what < 0.5) mission.ask({ kind: "resume" });
  else if (what < 0.6)
    mission.repository(chance() < 0.5 ? "api" : "web", { dirty: chance() < 0.5 ? ["x"] : [] });
  else if (what < 0.7) mission.ask({ kind: "approve" });
  else if (what < 0.8)
    for (const barrier of Object.keys(mission.state.spec?.barriers ?? {}))
      mission.ask({ kind: "pass", barrier });
  else
    mission.ask({
      kind: "autopilot",
      autopilot: {
        ...AUTOPILOT,
        autoRetry: chance() < 0.7,
        retries: 9,
        missionRetries: 90,
        continueOnFailure: chance() < 0.5,
      },
    });
}

const doneIn = ({ state }: PlayedMission): unknown =>
  Object.values(state.goals).filter(({ end }) => end?.kind === "done");

/** A person writes failed workstreams otherwise, and adds one more. */
function replan(mission: PlayedMission, chance: () => number): void {
  const { spec, goals } = mission.state;
  if (spec === null) return;
  const failed = new Set(Object.values(goals).flatMap((one) => (isFailed(one) ? [one.goal.id] : [])));
  const changed = spec.workstreams.map((one) =>
    failed.has(one.id) && chance() < 0.7 ? { ...one, goal: `${one.goal} otherwise` } : one,
  );
  const [first] = changed;
  const id = `x${String(Object.keys(goals).length)}`;
  const needs = first !== undefined && chance() < 0.5 ? [first.id] : [];
  const workstreams = [...changed, { id, repository: "api", goal: id, needs, artifacts: [] }];
  mission.ask({ kind: "replan", spec: { ...spec, workstreams, order: [...spec.order, id] } });
}

/** Runs get on, and the work that was asked for is taken in. */
function work(mission: PlayedMission, chance: () => number): void {
  for (const one of Object.values(mission.state.goals)) {
    const run = one.runs.at(-1)?.run;
    if (run === undefined) continue;
    if (one.asked !== null && chance() < 0.7) mission.holds(one.work?.commit ?? "");
    if (one.status !== "issued" || isEnded(mission.children.get(run)?.status ?? "queued") || chance() < 0.3)
      continue;
    if (chance() < 0.25) mission.fails(run);
    else mission.done(run);
  }
}

test("R6 G15 random missions that are planned again keep what is done, and are planned again twice at most", (t) => {
  const count = PLAY_WHOLE ? ALL : OF_THE_DAY;
  let replans = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    const chance = seededChance(seed + 500_000);
    const mission = draw(chance);
    for (let round = 0; round < ROUNDS_MAX && mission.state.end === null; round += 1) {
      if (chance() < 0.5) disturb(mission, chance);
      if (chance() < 0.2) {
        const before = doneIn(mission);
        replan(mission, chance);
        assert.deepEqual(doneIn(mission), before, `seed ${String(seed)}: what is done`);
      }
      mission.turn();
      work(mission, chance);
    }
    const { found, state } = replayMission("m", mission.events);
    assert.deepEqual(found, [], `seed ${String(seed)}`);
    assert.deepEqual(state, mission.state, `seed ${String(seed)}: the fold of the journal`);
    assert.equal(new Set(mission.launched).size, mission.launched.length, `seed ${String(seed)}`);
    assert.ok(state.replans <= REPLANS_MAX, `seed ${String(seed)}: ${String(state.replans)} times`);
    replans += state.replans;
  }
  assert.ok(replans > count / 4, `${String(replans)} in ${String(count)} missions`);
  printSample(t, `${String(count)} missions, ${String(replans)} times planned again`);
});

test("G15 no random mission launches before its needs are met, launches twice, or accepts before all is prepared and in order", (t) => {
  const count = PLAY_WHOLE ? ALL : OF_THE_DAY;
  const from = PLAY_WHOLE ? 1 : 1 + ((DAY_SEED * OF_THE_DAY) % ALL);
  let ended = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const chance = seededChance(seed);
    const mission = draw(chance);
    for (let round = 0; round < ROUNDS_MAX && mission.state.end === null; round += 1) {
      if (chance() < 0.5) disturb(mission, chance);
      mission.turn();
      work(mission, chance);
    }
    const { found, state } = replayMission("m", mission.events);
    assert.deepEqual(found, [], `seed ${String(seed)}`);
    assert.deepEqual(state, mission.state, `seed ${String(seed)}: the fold of the journal`);
    assert.equal(new Set(mission.launched).size, mission.launched.length, `seed ${String(seed)}`);
    if (state.end === null) continue;
    ended += 1;
    assert.ok(
      isAllDone(state) || Object.values(state.goals).every(({ end }) => end?.kind === "skipped"),
      `seed ${String(seed)}`,
    );
  }
  assert.ok(ended > count / 2, `${String(ended)} of ${String(count)} came to an end`);
  printSample(
    t,
    `${String(count)} of ${String(ALL)} missions from seed ${String(from)}, ${String(ended)} came to an end`,
  );
});
