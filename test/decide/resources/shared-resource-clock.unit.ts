import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import {
  evolveSharedResource,
  newSharedResource,
} from "../../../src/decide/resources/evolve-shared-resource.ts";
import { moveSharedResource } from "../../../src/decide/resources/shared-resource-clock.ts";
import { holdOf } from "../../../src/decide/resources/shared-resources.ts";
import { newsOf } from "../../../src/decide/resources/shared-resource-news.ts";
import { decideResource } from "../../../src/decide/resources/decide-shared-resource.ts";
import type { ClockReading } from "../../../src/model/host/clock.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { SharedResourceFact, SharedResourceState } from "../../../src/model/host/shared-resource.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { publishToResource } from "../../../src/decide/resources/shared-resources.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const T0 = Date.UTC(2026, 2, 1);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000] as const;
const JUMPS = [HOUR, DAY, -DAY, 30_000] as const;
const ACCOUNT = "account:claude";
const WAIT_MS = runSettingsSchema.parse({}).health.limitWaitMs;

/** What the clocks of a machine say after so long, its wall clock set by so much. */
const clockAt = (ranMs: number, setBy = 0, boot = "here"): ClockReading => ({
  boot,
  at: T0 + ranMs + setBy,
  runMs: ranMs,
  upMs: ranMs,
});

const limited = (more: Partial<SharedResourceFact> = {}): SharedResourceFact => ({
  ...{ key: "run_1/1", kind: "limited", run: "run_1", attempt: "work#1", text: "limit" },
  ...{ until: null, priority: 0, ...more },
});

function newRun(): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "claude" as const } } };
  return evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: T0 });
}

/** A ground of which something was told, as processes of a store fold and judge it. */
function reported(state: SharedResourceState, fact: SharedResourceFact, clock: ClockReading): void {
  const [intent] = [publishToResource(newRun(), ACCOUNT, fact)];
  assert.ok(intent.type === "EffectIntended" && intent.data.effect.kind === "TellGround");
  const place = (): { seq: number; at: number } => ({ seq: state.seq + 1, at: clock.at });
  evolveSharedResource(state, { type: "GroundTold", data: { fact, clock } }, place());
  for (const event of decideResource(state, fact, intent.data.effect.rules, clock.at))
    evolveSharedResource(state, event, place());
}

test("J1 P2 a pause of a shared resource is as long as it was to be, no matter what the clock is set to meanwhile", () => {
  for (const byMs of JUMPS) {
    const state = newSharedResource(ACCOUNT);
    reported(state, limited(), clockAt(0));
    assert.equal(state.pause?.until, T0 + WAIT_MS);
    const seen = moveSharedResource(state, clockAt(MINUTE, byMs));
    assert.equal(seen.pause?.until, T0 + WAIT_MS + byMs, String(byMs));
    assert.equal(state.pause.until, T0 + WAIT_MS, "a look changes nothing");
    assert.deepEqual(moveSharedResource(seen, clockAt(2 * MINUTE, byMs)), seen, "a jump counts once");
    reported(state, limited({ key: "run_2/1", run: "run_2" }), clockAt(2 * MINUTE, byMs));
    assert.equal(state.pause.until, T0 + WAIT_MS + byMs, "and once for whoever folds what was told since");
    assert.deepEqual(
      state.troubles.map(({ at }) => at),
      [T0 + byMs, T0 + 2 * MINUTE + byMs],
    );
  }
});

test("L4 P2 a limit whose end was named by the clock, and the pause of another machine, stay where they are", () => {
  for (const byMs of JUMPS) {
    const state = newSharedResource(ACCOUNT);
    reported(state, limited({ until: T0 + 9 * HOUR, named: true }), clockAt(0));
    assert.equal(moveSharedResource(state, clockAt(MINUTE, byMs)).pause?.until, T0 + 9 * HOUR);
    const other = newSharedResource(ACCOUNT);
    reported(other, limited(), clockAt(0));
    reported(other, limited({ key: "run_2/1", run: "run_2", kind: "worked" }), clockAt(0, 0, "there"));
    assert.equal(moveSharedResource(other, clockAt(MINUTE, byMs, "there")).pause?.until, T0 + WAIT_MS);
    assert.equal(moveSharedResource(other, clockAt(MINUTE, byMs)).pause?.until, T0 + WAIT_MS + byMs);
  }
});

test("J1 P2 a run whose clock jumps holds its steps as long as without the jump, before it learns of the pause again", () => {
  const resource = newSharedResource(ACCOUNT);
  reported(resource, limited(), clockAt(0));
  for (const byMs of JUMPS) {
    const state = newRun();
    state.sharedResources = {};
    const fold = (event: RunEvent, at: number): void => {
      evolve(state, event, { run: "run_1", seq: state.seq + 1, at });
    };
    const account = "account:claude";
    fold({ type: "GroundHeard", data: { ground: account, news: newsOf(resource, "run_1") } }, T0);
    const clock = clockAt(MINUTE, byMs);
    fold({ type: "ClockJumped", data: { byMs, cause: "set", clock } }, clock.at);
    assert.deepEqual(
      state.sharedResources[account]?.news,
      newsOf(moveSharedResource(resource, clock), "run_1"),
    );
    const [step] = Object.values(state.steps);
    assert.ok(step !== undefined);
    assert.ok(holdOf(state, step, T0 + WAIT_MS - 1 + byMs) !== null, "not early");
    assert.equal(holdOf(state, step, T0 + WAIT_MS + byMs), null, "not late");
  }
});

test("J1 what agents and programs gave back is no time of ours, no matter what it looks like", () => {
  const state = newRun();
  const step = Object.values(state.steps)[0];
  assert.ok(step !== undefined);
  step.result = { createdAt: T0 + MINUTE };
  state.result = T0;
  const data = { byMs: HOUR, cause: "set", clock: clockAt(MINUTE, HOUR) } as const;
  evolve(state, { type: "ClockJumped", data }, { run: "run_1", seq: state.seq + 1, at: data.clock.at });
  assert.deepEqual(Object.values(state.steps)[0]?.result, { createdAt: T0 + MINUTE });
  assert.equal(state.result, T0);
});
