import assert from "node:assert/strict";
import { test } from "node:test";
import type { Signal } from "../../../../src/model/agent/signals.ts";
import { addUsage, nothingUsed, usedIn } from "../../../../src/model/agent/usage-count.ts";
import { FIRST_LIFE, LIVES_IN_DAYS, notToday } from "../../agents-tier.ts";
import { liveThrough } from "./agent-life.ts";
import { ONE_SHOT_AGENTS } from "../agent-setup.ts";
import { notInstalled } from "../agent-stage.ts";
import { signalsOfAttempt, story } from "../show.ts";

/** Pieces or totals, as the agent reports them. */
function tokensIn(signals: readonly Signal[]): number {
  const count = nothingUsed();
  for (const signal of signals) if (signal.kind === "usage") addUsage(count, signal);
  return usedIn(count).tokensIn;
}

for (const [at, agent] of ONE_SHOT_AGENTS.entries()) {
  const { name, version, program, aim } = agent;
  test(
    `A1 A2 A6 the real ${name} ${version} does its task, is taken over in the middle of a turn, and is resumed`,
    {
      skip:
        notToday(FIRST_LIFE.headless + at, LIVES_IN_DAYS) || (program === undefined && notInstalled(name)),
    },
    async (t) => {
      // Named, so that no second model is asked which model is best.
      const named = name === "gemini" ? { model: "gemini-2.5-flash" } : {};
      const breaksItsHistory = name === "gemini";
      const spec = { use: name, command: program, ...named };
      const { events } = await liveThrough(t, { spec, aim, breaksItsHistory });
      const tokens = [1, 2].map((number) => tokensIn(signalsOfAttempt(events, number)));
      const [first = 0, second = 0] = breaksItsHistory ? tokens.toReversed() : tokens;
      // Charged once each, although one agent counts a conversation from its beginning.
      assert.ok(second > 0 && second < first, `three turns, and one: ${tokens.join(", ")}\n${story(events)}`);
    },
  );
}
