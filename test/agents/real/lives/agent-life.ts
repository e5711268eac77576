import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { isAlive } from "../../../cli/cli-process.ts";
import type { Recorded } from "../../../../src/model/events/events.ts";
import type { ModelScriptInput } from "../../../../src/model/agent/model-script.ts";
import type { Signal } from "../../../../src/model/agent/signals.ts";
import { written } from "../agent-stage.ts";
import { CONTENT, HELLO } from "../scripts.ts";
import { countOf, outcomesIn, Show, signalsOfAttempt, story, type Performer } from "../show.ts";

/** Looks like an option, and is a prompt all the same. */
const GOAL = "--version of hello.txt: write it";
const WRITTEN = "grep -q scripted hello.txt";

export interface Living extends Performer {
  /** Resumed, it repeats the results of its tools, which its provider refuses; only its words are gone on with. */
  readonly breaksItsHistory?: boolean;
  /** Its screen is read, so its tools and its tokens are not told. */
  readonly onScreen?: boolean;
}

export interface Life {
  readonly events: readonly Recorded[];
  /** The attempt that was at work when its supervisor was killed. */
  readonly disturbed: readonly Signal[];
}

/**
 * What every real agent must live through, in one run: it does its task; its supervisor is killed while the model thinks,
 * and the next one takes the agent over in the middle of that very turn; its work is sent back by a check once, and the
 * next attempt goes on with the same conversation.
 */
export async function liveThrough(t: TestContext, agent: Living): Promise<Life> {
  const words = agent.breaksItsHistory === true;
  const held = words ? 2 : 1;
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => (go = resolve));
  t.after(() => go());
  const show = await Show.open(t, agent, words ? LATER : SOONER, ({ as, position }) =>
    as === "turn" && position === held ? released : Promise.resolve(),
  );
  const supervisor = await show.begin(GOAL, "--check", words ? WRITTEN : `${WRITTEN} && ${ONCE_MORE}`);
  await show.asked(held);
  const attempt = words ? 2 : 1;
  const before = show.agentPids(attempt);
  assert.ok(before.length > 0);
  process.kill(supervisor, "SIGKILL");
  await show.bench.json(["up", "--detach"]);
  const claimed = await show.journals("RunClaimed", 2);
  assert.equal(claimed.filter(({ type }) => type === "RunClaimed").length, 2, story(claimed));
  // Helpers of the agent come and go; that it is the same one, its turns say below.
  assert.ok(before.some(isAlive), "the agent works on, whoever supervises it");
  go();
  await show.bench.reaches(show.run, "completed");
  const events = await show.events();
  assert.equal(written(show.stage), CONTENT);
  assert.equal(outcomesIn(events).length, 2, story(events));
  assert.equal(outcomesIn(events)[1], "succeeded", story(events));
  assert.deepEqual(show.positions(), [0, 1, 2, 3], "each turn was asked for once, in one conversation");
  const disturbed = signalsOfAttempt(events, attempt);
  assert.deepEqual(tally(disturbed), agent.onScreen === true ? [0, 0, 1, 1] : [2, 2, 1, 1], story(events));
  return { events, disturbed };
}

/** Heard exactly once each, although two supervisors listened. */
const tally = (signals: readonly Signal[]): number[] =>
  (["tool_call", "tool_result", "result", "exit"] as const).map((kind) => countOf(signals, kind));

/** Sends work back the first time. */
const ONCE_MORE = "{ test -f once || ! touch once; }";
/** The task first, and a word more when it was sent back. */
const SOONER: ModelScriptInput = { turns: [...HELLO.turns, { say: "It is in place indeed." }] };
/** Nothing but a word first; the task when that was sent back. */
const LATER: ModelScriptInput = { turns: [{ say: "I have thought about it." }, ...HELLO.turns] };
