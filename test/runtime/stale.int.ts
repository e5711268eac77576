import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { staleResumeAt } from "../../src/decide/ladder/decide-stale.ts";
import { bench, step } from "./worked-run.ts";

const MS = 40;
const SETTINGS = {
  health: { tickMs: MS, silenceMs: MS, turnDegradedMs: MS, turnStuckMs: MS },
  ladder: { nudgeMs: MS, strategyMs: MS, restarts: 1, restartMs: MS, operatorMs: MS },
  stale: { quietMs: MS, quietApiMs: MS, resumeMs: 100 },
};

test("R7 a function that reports usage and progress and is then silent is restarted, rests as stale, and goes on by itself to its end", async () => {
  const on = bench({
    work: async (context) => {
      const { number, signal } = context;
      await context.emit({ kind: "usage", tokensIn: 900, tokensOut: 20, usd: 0.01 });
      await context.emit({ kind: "progress", text: "half", pct: 50 });
      // The provider is away for two sessions.
      if (number <= 2) await sleep(600_000, undefined, { signal }).catch(() => undefined);
      return "done";
    },
  });
  try {
    const held = await on.create([step("work", "work")], SETTINGS);
    await on.supervisor({ only: held.run, held }).work();
    for (let wakes = 0; wakes < 3; wakes += 1) {
      const state = await on.state(held.run);
      if (state.status !== "paused") break;
      await sleep(Math.max(0, (staleResumeAt(state) ?? 0) - on.ports.world.now()));
      await on.supervisor({ only: held.run }).work();
    }
    const events = await on.events(held.run);
    const story = events.flatMap((event) => {
      if (event.type === "RemedyTaken") return [event.data.remedy];
      if (event.type === "RunPaused") return [event.data.stop];
      return event.type === "RunResumed" || event.type === "RunCompleted" ? [event.type] : [];
    });
    assert.deepEqual(story, ["warn", "restart", "stale", "RunResumed", "RunCompleted"]);
  } finally {
    await on.close();
  }
});
