import type { Effect, EffectOutcome } from "../model/effects.ts";
import { inCleanCopy } from "./clean-copy.ts";
import { hearAnswer } from "./hear-answer.ts";
import { noReview as none, reviewOf } from "./review-verdict.ts";
import type { Rooms } from "./rooms.ts";

type AskReview = Extract<Effect, { kind: "AskReview" }>;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

const END_GRACE_MS = 5_000;

/**
 * Asks an agent for its verdict on the work of another. It works in a copy of what would be accepted, so nothing that
 * it changes is anybody's. Its session has a name of its own: whoever performs the effect again ends what is left of
 * it and asks anew, in a copy that is whole.
 */
export async function performReview(rooms: Rooms, effect: AskReview, under: Under): Promise<EffectOutcome> {
  const { agent, spec, session, step, attempt, task } = effect;
  const driver = rooms.drivers.get(spec.use);
  if (driver === undefined)
    return { kind: "done", review: none(agent, `no driver for "${spec.use}" is available here`) };
  return inCleanCopy(rooms, effect, under, async (cwd) => {
    const order = { run: under.run, session, spec, step, attempt: `${attempt}.review`, number: 1, task, cwd };
    const started = await driver.start(order);
    if (started.kind === "failed")
      return { kind: "done", review: none(agent, `it could not be started: ${started.text}`) };
    const heard = await hearAnswer(rooms, driver, effect, under.signal);
    await driver.end({ session, spec }, END_GRACE_MS);
    if (under.signal.aborted) return { kind: "failed", terminal: false, text: "the review was broken off" };
    return { kind: "done", review: reviewOf(agent, heard) };
  });
}
