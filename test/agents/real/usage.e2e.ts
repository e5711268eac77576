import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { agentsTier } from "../agents-tier.ts";
import { ALL_PERFORMERS } from "./performers.ts";
import { Show, story } from "./show.ts";

/** Four requests whose usage is told by the model; the pauses leave time to see that it is counted meanwhile. */
const SCRIPT: ModelScriptInput = {
  turns: [
    {
      say: "I write it.",
      acts: [{ write: { file: "hello.txt", content: "hello\n" } }],
      usage: { input: 10_000, output: 101, cachedInput: 1_000 },
    },
    {
      say: "I look twice.",
      acts: [{ run: "cat hello.txt" }, { run: "echo two" }],
      usage: { input: 20_000, output: 202, cachedInput: 2_000 },
      delayMs: 1_500,
    },
    {
      say: "And again.",
      acts: [{ run: "cat hello.txt" }],
      usage: { input: 30_000, output: 303, cachedInput: 3_000 },
      delayMs: 1_500,
    },
    { say: "Done.", usage: { input: 40_000, output: 404, cachedInput: 4_000 }, delayMs: 3_000 },
  ],
};

/** The state after each event. */
function folded(
  run: string,
  events: readonly Recorded[],
): { readonly state: RunState; readonly seen: number[] } {
  let state: RunState | null = null;
  const seen: number[] = [];
  for (const event of events) {
    state = evolve(state, event, { run, seq: event.seq, at: event.at });
    seen.push(state.spent.tokens);
  }
  assert.ok(state !== null);
  return { state, seen };
}

/** A title that some ask a model for beside the conversation is in no count of theirs. */
const IN_TERMINAL = / in tmux$/;

for (const { name, performer, missing } of ALL_PERFORMERS.filter((one) => !IN_TERMINAL.test(one.name)))
  test(
    `G9 B2 what ${name} uses is counted while it works, and in the end is what its model has sent`,
    { skip: agentsTier || missing },
    async (t) => {
      const show = await Show.open(t, performer, SCRIPT);
      await show.begin("Write hello.txt");
      await show.bench.reaches(show.run, "completed");
      const sent = show.model
        .requests()
        .filter(({ as }) => as === "turn")
        .map(({ usage }) => (usage?.input ?? 0) + (usage?.output ?? 0));
      const all = sent.reduce((sum, one) => sum + one, 0);
      const events = await show.events();
      const { state, seen } = folded(show.run, events);
      assert.equal(state.spent.tokens, all, story(events));
      assert.equal(state.spent.turns, sent.length);
      assert.ok(
        seen.some((tokens) => tokens > 0.3 * all && tokens < 0.7 * all),
        `live: ${seen.join(" ")}`,
      );
    },
  );
