import assert from "node:assert/strict";
import { test } from "node:test";
import { opensAt } from "../../../src/decide/resources/shared-resources.ts";
import { newsOf } from "../../../src/decide/resources/shared-resource-news.ts";
import { SHARED_RESOURCE_EVENTS } from "../../../src/model/events/shared-resource-events.ts";
import type { SharedResourceFact, SharedResourceRules } from "../../../src/model/host/shared-resource.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { troubledResources } from "../../../src/views/status/status-shared-resources.ts";
import { Circling, only } from "../circling.ts";
import { SharedResourceFacts } from "../shared-resource-facts.ts";

const HOST = "host:alpha";
const SECOND = 1_000;
const RULES: SharedResourceRules = {
  waitMs: 300_000,
  decayMs: 3_600_000,
  failures: 5,
  openMs: 300_000,
  successes: 2,
  deaths: 5,
  deathsMs: 30_000,
  hostPauseMs: 120_000,
  incidentRuns: 3,
  incidentMs: 600_000,
  brokenMs: 120_000,
  brokenPauses: 5,
};

let reported = 0;
const died = (run: string, attempt: string, family?: string): SharedResourceFact => ({
  key: `${run}/${String((reported += 1))}`,
  kind: "died",
  run,
  attempt,
  text: "killed",
  until: null,
  priority: 0,
  ...(family === undefined ? {} : { family }),
});

/** Tells each death, a second after the one before; whether the host was suspected. */
function suspected(facts: readonly SharedResourceFact[]): boolean {
  const resources = new SharedResourceFacts();
  facts.forEach((fact, nth) => resources.tell(HOST, fact, RULES, (nth + 1) * SECOND));
  return resources.of(HOST).pause !== null;
}

const five = [1, 2, 3, 4, 5].map(String);

test("L7 five deaths of one run are no mass: the host is not suspected, and nobody else waits", () => {
  assert.equal(suspected(five.map((nth) => died("run_1", `work#${nth}`))), false);
  assert.equal(suspected(five.map((nth) => died("run_1", `step_${nth}#1`))), false, "nor those of its steps");
});

test("L7 a run and the runs that its agents started count as one: only independent runs are a mass", () => {
  assert.equal(suspected(five.map((nth) => died(`child_${nth}`, "work#1", "run_1"))), false);
  const mixed = [died("run_1", "work#1"), ...five.slice(1).map((nth) => died(`c_${nth}`, "work#1", "run_1"))];
  assert.equal(suspected(mixed), false);
  assert.equal(suspected(five.map((nth) => died(`run_${nth}`, "work#1"))), true);
});

test("L7 a step that dies again in the same mass death is charged for it: a crash loop is not pardoned for ever", () => {
  const resources = new SharedResourceFacts();
  five.forEach((nth) => resources.tell(HOST, died(`run_${nth}`, "work#1"), RULES, Number(nth) * SECOND));
  resources.tell(HOST, died("run_6", "work#1"), RULES, 7 * SECOND);
  resources.tell(HOST, died("run_1", "work#2"), RULES, 8 * SECOND);
  assert.deepEqual(newsOf(resources.of(HOST), "run_6").pardons, ["work#1"], "a late one of the same mass");
  assert.deepEqual(newsOf(resources.of(HOST), "run_1").pardons, ["work#1"]);
});

test("L7 a run that nothing befell and that gets on after a mass death ends the pause for everybody at once", () => {
  const resources = new SharedResourceFacts();
  five.forEach((nth) => resources.tell(HOST, died(`run_${nth}`, "work#1"), RULES, Number(nth) * SECOND));
  const { pause } = newsOf(resources.of(HOST), "run_1");
  assert.ok(pause !== null && pause.until === 125 * SECOND);
  const survivor: SharedResourceFact = { ...died("run_9", "work#1"), kind: "worked", text: "it got on" };
  resources.tell(HOST, survivor, RULES, 9 * SECOND);
  const after = newsOf(resources.of(HOST), "run_1").pause;
  assert.equal(after?.reopenedAt, 9 * SECOND);
  const settings = runSettingsSchema.parse({});
  assert.equal(after === null ? null : opensAt(after, "run_2", settings), 9 * SECOND, "nobody is spread out");
});

test("L7 the pause of a host is shown with the command that lifts it", () => {
  const resources = new SharedResourceFacts();
  five.forEach((nth) => resources.tell(HOST, died(`run_${nth}`, "work#1"), RULES, Number(nth) * SECOND));
  const [view] = troubledResources([resources.of(HOST)], 10 * SECOND, null);
  assert.equal(view?.state, "paused");
  assert.equal(view.command, "holdfast unpause host:alpha");
  assert.match(view.text, /5 runs .* holdfast unpause host:alpha/);
});

test("L7 a pause that a person lifts is over for everybody at once, and its event says who did", () => {
  const lifted = { pause: 1, why: "lifted by ada", by: "ada", atOnce: true };
  assert.deepEqual(SHARED_RESOURCE_EVENTS.GroundReopened.data.parse(lifted), lifted);
});

test("L7 several runs that die while more of them live on are no mass death: bad runs do not hold up the others", () => {
  const beside = (living: number): boolean =>
    suspected(five.map((nth) => ({ ...died(`run_${nth}`, "work#1"), living })));
  assert.equal(beside(40), false);
  assert.equal(beside(6), false);
  assert.equal(beside(5), true, "half of them");
  assert.equal(beside(0), true);
});

test("L7 an agent that is ended at its time limit was not lost: several of them do not make their host suspect", () => {
  const reportedOf = (onEnd: readonly unknown[], settings: object): string[] => {
    const run = new Circling({ use: "claude" }, settings);
    run.onEnd = onEnd;
    run.loops = false;
    run.turn([{ type: "RunClaimed", data: { owner: "o", epoch: 1, from: "nobody", host: "alpha" } }]);
    run.work(5 * 60 * SECOND);
    if (Object.keys(settings).length === 0)
      run.receive("work#1", [{ kind: "exit", how: "signal", signal: "SIGKILL" }]);
    else run.work(11 * 60 * SECOND);
    assert.equal(only(run.events, "AttemptEnded")[0]?.charged, true);
    return only(run.events, "EffectIntended").flatMap(({ effect }) =>
      effect.kind === "TellGround" && effect.ground === HOST ? [effect.fact.kind] : [],
    );
  };
  const killed = [{ kind: "exit", how: "signal", signal: "SIGTERM" }];
  assert.deepEqual(reportedOf(killed, {}), ["died"]);
  assert.deepEqual(reportedOf(killed, { attempts: { limitMs: 10 * 60 * SECOND, perStep: 1 } }), []);
});
