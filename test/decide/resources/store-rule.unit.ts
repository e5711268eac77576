import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import {
  evolveSharedResource,
  newSharedResource,
} from "../../../src/decide/resources/evolve-shared-resource.ts";
import { newsOf } from "../../../src/decide/resources/shared-resource-news.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { SharedResourceState } from "../../../src/model/host/shared-resource.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { dayEndsAt } from "../../../src/model/text/utc-day.ts";
import { STORE_RESOURCE } from "../../../src/model/host/resource-address.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { storeView } from "../../../src/views/status/store-view.ts";
import { done, says } from "../agent-words.ts";
import { begun, only, started } from "../budgeted-run.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

/** The store's journal, and runs that hear of it. */
class Store {
  readonly ground: SharedResourceState = newSharedResource(STORE_RESOURCE);

  write(event: RunEvent, at: number): void {
    evolveSharedResource(this.ground, event, { seq: this.ground.seq + 1, at });
  }

  received(state: RunState, at: number): RunEvent[] {
    const news = newsOf(this.ground, state.run);
    return takeTurn(state, [{ type: "GroundHeard", data: { ground: STORE_RESOURCE, news } }], at);
  }

  /** Performs what a run reports, and lets it hear the outcome. */
  reports(state: RunState, at: number): void {
    for (const [key, effect] of Object.entries(state.effects)) {
      if (effect.kind !== "TellGround") continue;
      this.write({ type: "GroundTold", data: { fact: effect.fact } }, at);
      const outcome = { kind: "done", news: newsOf(this.ground, state.run) } as const;
      takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], at);
    }
  }
}

const atWork = (more: Parameters<typeof begun>[0] = {}): RunState => {
  const state = begun({ use: "claude", ...more });
  takeTurn(state, [started("s0#1"), says("s0#1", { kind: "conversation", id: "talk" })], SECOND);
  return state;
};
const suspended = (events: readonly RunEvent[]): string[] =>
  only(events, "AttemptEnding").flatMap(({ attempt, to }) => (to === "suspended" ? [attempt] : []));
const ended = (attempt: string): RunEvent[] => [
  { type: "EffectSettled", data: { key: `${attempt}/EndAgent`, outcome: { kind: "done" } } },
  says(attempt, { kind: "exit", how: "signal", signal: "TERM" }),
];
const starts = (events: readonly RunEvent[]): (string | undefined)[] =>
  only(events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect.resume] : [],
  );

test("B2 a stopped store suspends sessions and starts nothing; once started, conversations continue", () => {
  const store = new Store();
  const state = atWork();
  store.write({ type: "StoreStopped", data: { by: "ada" } }, 10 * SECOND);
  assert.deepEqual(suspended(store.received(state, 11 * SECOND)), ["s0#1"]);
  const after = takeTurn(state, ended("s0#1"), 12 * SECOND);
  assert.deepEqual([starts(after), state.steps["s0"]?.charged], [[], 0]);
  assert.deepEqual(starts(takeTurn(state, [], HOUR)), []);
  store.write({ type: "StoreStarted", data: { by: "ada" } }, 2 * HOUR);
  assert.deepEqual(starts(store.received(state, 2 * HOUR)), ["talk"]);
});

test("B1 an agent that does not heed the stop of the store is ended firmly after 3 s, no matter what its grace is", () => {
  for (const [termGraceMs, graceMs] of [
    [60_000, 3_000],
    [500, 500],
  ] as const) {
    const store = new Store();
    const state = atWork({ settings: { startup: { termGraceMs } } });
    store.write({ type: "StoreStopped", data: { by: "ada" } }, 10 * SECOND);
    const ends = only(store.received(state, 11 * SECOND), "EffectIntended").flatMap(({ effect }) =>
      effect.kind === "EndAgent" ? [effect.graceMs] : [],
    );
    assert.deepEqual(ends, [graceMs]);
  }
});

test("B1 a session that was ended while the store was stopped costs no attempt, although nobody recorded it", () => {
  const store = new Store();
  const state = atWork();
  store.write({ type: "StoreStopped", data: { by: "ada" } }, 10 * SECOND);
  store.write({ type: "StoreStarted", data: { by: "ada" } }, HOUR);
  const news = newsOf(store.ground, state.run);
  takeTurn(
    state,
    [
      { type: "RunClaimed", data: { owner: "o2", epoch: 2, from: "gone" } },
      { type: "GroundHeard", data: { ground: STORE_RESOURCE, news } },
    ],
    HOUR + SECOND,
  );
  const next = takeTurn(state, ended("s0#1"), HOUR + 2 * SECOND);
  assert.deepEqual(
    only(next, "AttemptEnded").map(({ outcome, charged }) => [outcome, charged]),
    [["interrupted", false]],
  );
  assert.deepEqual(starts(next), ["talk"]);
  const later = store.received(state, HOUR + 3 * SECOND);
  assert.deepEqual(suspended(later), [], "what was started after the stop is not of it");
});

test("B2 the budget of the day is counted over all runs, suspends them all, and a new day lets them continue", () => {
  const store = new Store();
  store.write({ type: "DayBudgetSet", data: { budget: { usd: 10 }, by: "ada" } }, 0);
  const runs = [atWork(), atWork()];
  for (const state of runs) store.received(state, 2 * SECOND);
  const [one, other] = runs;
  assert.ok(one !== undefined && other !== undefined);
  takeTurn(one, [says("s0#1", { kind: "usage", usd: 6 })], 3 * SECOND);
  store.reports(one, 3 * SECOND);
  store.received(other, 3 * SECOND);
  assert.deepEqual(suspended(takeTurn(other, [says("s0#1", { kind: "usage", usd: 3.9 })], 4 * SECOND)), []);
  assert.deepEqual(suspended(takeTurn(other, [says("s0#1", { kind: "usage", usd: 0.2 })], 5 * SECOND)), [
    "s0#1",
  ]);
  // One amount is being reported, the other waits for it.
  store.reports(other, 5 * SECOND);
  store.reports(other, 6 * SECOND);
  assert.deepEqual(suspended(store.received(one, 6 * SECOND)), ["s0#1"]);
  assert.equal(Math.round(store.ground.day?.usd ?? 0), 10);
  for (const state of runs) assert.deepEqual(starts(takeTurn(state, ended("s0#1"), 7 * SECOND)), []);
  assert.equal(one.status, "running", "nobody is asked: it continues by itself");
  assert.equal(nextDeadline(one, 8 * SECOND), dayEndsAt(0));
  for (const state of runs) assert.deepEqual(starts(takeTurn(state, [], dayEndsAt(0))), ["talk"]);
});

test("B2 the budget of the day ends reviewers and an agent that triage asks, and begins none", () => {
  const asked = {
    step: "s0",
    agent: "dev",
    spec: { use: "claude" },
    task: "look",
    at: 0,
    limitMs: HOUR,
    usd: 1,
  };
  for (const effect of [
    { ...asked, kind: "AskReview", attempt: "s0#1", session: "asked", tree: "/srv/tree" },
    {
      ...asked,
      kind: "AskTriage",
      of: "s0#1",
      session: "asked",
      openedAt: 0,
      position: 1,
      pattern: "timeout",
      evidence: [],
    },
  ]) {
    const store = new Store();
    store.write({ type: "DayBudgetSet", data: { budget: { usd: 10 }, by: "ada" } }, 0);
    const state = atWork();
    store.received(state, 2 * SECOND);
    takeTurn(state, [{ type: "EffectIntended", data: { key: "asked", effect } } as RunEvent], 3 * SECOND);
    const events = takeTurn(state, [says("s0#1", { kind: "usage", usd: 11 })], 4 * SECOND);
    const ends = only(events, "EffectIntended").flatMap((one) =>
      one.effect.kind === "EndAgent" && one.effect.session === "asked" ? [one.key] : [],
    );
    assert.deepEqual([ends.length, "asked" in state.effects], [1, false], effect.kind);
  }
});

test("B2 a budget of the day that is raised lets runs continue on the same day, and status names the command", () => {
  const store = new Store();
  store.write({ type: "DayBudgetSet", data: { budget: { tokens: 1_000 }, by: "ada" } }, 0);
  const state = atWork();
  store.received(state, 2 * SECOND);
  takeTurn(state, [says("s0#1", { kind: "usage", tokensIn: 1_200 })], 3 * SECOND);
  store.reports(state, 3 * SECOND);
  takeTurn(state, ended("s0#1"), 4 * SECOND);
  const view = storeView({ stop: null, day: store.ground.day }, null, 5 * SECOND);
  assert.match(
    view?.text ?? "",
    /1,200 of 1,000 tokens: sessions of all runs are suspended until 1970-01-02/,
  );
  assert.equal(view?.command, "holdfast set --all budget.day.tokens=2400");
  store.write({ type: "DayBudgetSet", data: { budget: { tokens: 2_400 }, by: "ada" } }, 6 * SECOND);
  assert.deepEqual(starts(store.received(state, 6 * SECOND)), ["talk"]);
});

test("B2 small amounts are reported together, and a report that did not arrive is made again", () => {
  const store = new Store();
  store.write({ type: "DayBudgetSet", data: { budget: { usd: 100 }, by: "ada" } }, 0);
  const state = atWork();
  store.received(state, 2 * SECOND);
  const reported = (events: readonly RunEvent[]): (number | undefined)[] =>
    only(events, "EffectIntended").flatMap(({ effect }) =>
      effect.kind === "TellGround" ? [effect.fact.used?.usd] : [],
    );
  assert.deepEqual(reported(takeTurn(state, [says("s0#1", { kind: "usage", usd: 0.25 })], 3 * SECOND)), []);
  assert.deepEqual(reported(takeTurn(state, [], 12 * SECOND)), [0.25]);
  const [key = ""] = Object.keys(state.effects).filter((name) => name.includes("TellGround"));
  const lost = { kind: "failed", text: "the store is busy", terminal: false } as const;
  const again = takeTurn(state, [{ type: "EffectSettled", data: { key, outcome: lost } }], 30 * SECOND);
  assert.deepEqual(reported(again), [0.25]);
  store.reports(state, 31 * SECOND);
  const last = takeTurn(state, [done("s0#1", { kind: "usage", usd: 0.5 })], 32 * SECOND);
  assert.deepEqual(reported(last), [0.5], "what is left is reported with the end");
});
