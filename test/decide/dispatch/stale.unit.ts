import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;

/** A program that begins, says once that it is there, and then nothing any more: its provider is away. */
class Mute extends Circling {
  #greeted = new Set<string>();
  greeting: readonly object[] = [{ kind: "ready" }];

  /** Lets time alone pass. */
  pass(until: number): void {
    for (;;) {
      for (const attempt of Object.keys(this.state.attempts))
        if (!this.#greeted.has(attempt)) {
          this.#greeted.add(attempt);
          this.receive(attempt, this.greeting);
        }
      const due = nextDeadline(this.state, this.now);
      if (due === null || due > until) break;
      this.turn([], due);
    }
    this.now = until;
  }

  /** How it stopped and went on, in order. */
  get story(): string[] {
    return this.events.flatMap((event) =>
      event.type === "RunPaused" || event.type === "RunResumed" || event.type === "RunBlocked"
        ? [
            event.type === "RunPaused"
              ? `paused ${event.data.stop}`
              : event.type === "RunResumed"
                ? `resumed ${event.data.after ?? "by a person"}`
                : `blocked ${event.data.blocked.reason}`,
          ]
        : [],
    );
  }
}

test("R7 a run whose provider stays silent through every lighter remedy rests as stale, is tried again within 20 min at most twice, and then a person is asked", () => {
  const run = new Mute({ use: "claude" });
  run.pass(12 * 60 * MINUTE);
  assert.deepEqual(run.story, [
    "paused stale",
    "resumed stale",
    "paused stale",
    "resumed stale",
    "blocked stuck",
  ]);
  assert.ok(run.remedies.includes("restart.2"), "lighter remedies went first");
  assert.equal(only(run.events, "AttemptEnded").filter(({ charged }) => charged).length, 0);
});

test("R7 a stale run wakes by a deadline of its own, between half and all of the time, and status says when", () => {
  const run = new Mute({ use: "claude" });
  while (run.state.status !== "paused") run.pass(run.now + MINUTE);
  const pausedAt = run.state.stale.pausedAt ?? 0;
  const due = nextDeadline(run.state, run.now) ?? 0;
  assert.ok(due - pausedAt >= 10 * MINUTE && due - pausedAt <= 20 * MINUTE, String(due - pausedAt));
  assert.equal(isAtRest(run.state, due - 1), true, "its owner may let go meanwhile");
  assert.equal(isAtRest(run.state, due), false);
  assert.match(
    JSON.stringify(statusView(run.state, null)),
    new RegExp(new Date(due).toISOString().slice(0, 19)),
  );
  run.turn([], due - 1);
  assert.equal(run.state.status, "paused");
  run.turn([], due);
  assert.equal(run.state.status, "running");
});

test("R7 what was received from the provider since counts: progress after it went on leads back to where it was", () => {
  const run = new Mute({ use: "claude" });
  while (run.state.stale.resumes === 0) run.pass(run.now + MINUTE);
  run.loops = false;
  run.work(run.now + 5 * MINUTE);
  assert.equal(run.state.status, "running");
  const { ladder } = run.state.steps["work"] ?? {};
  assert.equal(ladder?.outcome, "unclear");
});

test("R7 with no attempts left, or where it is switched off, a person is asked instead", () => {
  const off = new Mute({ use: "claude" }, { stale: { pause: false } });
  off.pass(12 * 60 * MINUTE);
  assert.deepEqual(off.story, ["blocked stuck"]);
  const never = new Mute({ use: "claude" }, { stale: { resumes: 0 } });
  never.pass(12 * 60 * MINUTE);
  assert.deepEqual(never.story, ["blocked stuck"]);
  const spent = new Mute({ use: "claude" });
  const step = spent.state.steps["work"];
  assert.ok(step !== undefined);
  step.charged = 3;
  spent.pass(12 * 60 * MINUTE);
  assert.deepEqual(spent.story, ["blocked stuck"]);
});

test("R7 a person who resumes gives the tries back", () => {
  const run = new Mute({ use: "claude" });
  while (run.state.stale.resumes < 2 || run.state.status !== "running") run.pass(run.now + MINUTE);
  const ask = (kind: "pause" | "resume"): void =>
    run.turn([{ type: "RequestHeard", data: { requestId: kind, request: { kind }, by: "cli" } }]);
  ask("pause");
  ask("resume");
  assert.equal(run.state.stale.resumes, 0);
});

test("R7 silence counts only from its own length on, and never within a step's own limit and a minute", () => {
  const patient = new Mute({ use: "claude" }, { stale: { quietMs: 10 * 60 * MINUTE } });
  patient.pass(12 * 60 * MINUTE);
  assert.deepEqual(patient.story, ["blocked stuck"]);
  const limited = new Mute({ use: "claude" });
  const { work } = limited.state.steps;
  assert.ok(work !== undefined);
  limited.state.steps["work"] = { ...work, spec: { ...work.spec, limitMs: 10 * 60 * MINUTE } };
  limited.pass(9 * 60 * MINUTE);
  assert.deepEqual(limited.story, ["blocked stuck"]);
});

test("R7 trouble that is no silence is an operator's at once", () => {
  const loops = new Mute({ use: "claude" });
  loops.work(12 * 60 * MINUTE);
  assert.deepEqual(loops.story, ["blocked stuck"]);
  assert.equal(only(loops.events, "RunBlocked").length, 1);
});

test("R7 L1 a function that speaks for a model and falls silent is stale after five minutes of its own; one that says nothing of a model is left alone", () => {
  const silent = new Mute({ use: "function" });
  silent.pass(3 * 60 * MINUTE);
  assert.deepEqual(silent.story, [], "it says only what it wants to");
  const speaking = (settings: object): Mute => {
    const run = new Mute({ use: "function" }, { ladder: { restarts: 0 }, health: FAST, ...settings });
    run.receive("work#1", [
      { kind: "tool_call", name: "search", args: "a" },
      { kind: "tool_result", name: "search", ok: true, text: "found" },
    ]);
    run.pass(9 * MINUTE);
    return run;
  };
  assert.deepEqual(speaking({}).story, ["paused stale"]);
  assert.deepEqual(speaking({ stale: { quietApiMs: 20 * MINUTE } }).story, ["blocked stuck"]);
});

/** Such silence is told soon after five minutes. */
const FAST = { tickMs: 1_000, turnDegradedMs: 4 * MINUTE, turnStuckMs: 5 * MINUTE };

/** Two seconds for everything, so that minutes show what nights would. */
const SECONDS_2 = {
  health: { tickMs: 2_000, silenceMs: 2_000, turnDegradedMs: 2_000, turnStuckMs: 2_000 },
  ladder: { nudgeMs: 2_000, strategyMs: 2_000, restartMs: 2_000, operatorMs: 2_000 },
  stale: { quietMs: 2_000, quietApiMs: 2_000, resumeMs: 2_000 },
};

for (const use of ["function", "demo", "acp", "claude", "tmux"] as const)
  test(`R7 a ${use} agent that reports usage and progress and then nothing rests as stale and goes on by itself, twice, within minutes at limits of 2 s`, () => {
    const run = new Mute({ use }, SECONDS_2);
    run.greeting = [
      { kind: "ready" },
      { kind: "usage", tokensIn: 900, tokensOut: 20, usd: 0.01 },
      { kind: "progress", text: "half", pct: 50 },
    ];
    run.pass(5.5 * MINUTE);
    assert.deepEqual(run.story, [
      "paused stale",
      "resumed stale",
      "paused stale",
      "resumed stale",
      "blocked stuck",
    ]);
    assert.deepEqual(only(run.events, "RestoreWanted"), []);
  });

test("L3 R7 a function that reports what its model costs is not called silent while it goes on doing so", () => {
  const run = new Circling({ use: "function" }, SECONDS_2);
  run.silent = true;
  for (let round = 0; round < 60; round += 1) {
    run.receive("work#1", [{ kind: "usage", tokensIn: 900, tokensOut: 20 }]);
    run.work(run.now + 1_000);
  }
  assert.deepEqual(only(run.events, "HealthChanged"), []);
});
