import type { AgentDriver, SessionRef } from "../agents/agent-driver.ts";
import type { Effect, EffectOutcome } from "../model/effects.ts";
import { withBoundTree } from "./bound-evidence.ts";
import { dropCleanCopy, makeCleanCopy } from "./clean-copy.ts";
import { endSession, hearAnswer } from "./hear-answer.ts";
import { noReview as none, reviewOf } from "./review-verdict.ts";
import type { Rooms } from "./rooms.ts";
import { sealFor, withSealOpened } from "./seal-work.ts";

type AskReview = Extract<Effect, { kind: "AskReview" }>;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Why something is broken off that is still wanted: whoever owns the run next goes on with it. */
export const LEFT_TO_NEXT = "left to the next owner";

/**
 * Asks an agent for its verdict on the work of another. It works in a copy of what would be accepted, so nothing that
 * it changes is anybody's.
 *
 * Its session has a name of its own. Whoever performs the effect again finds it by that, at work in its copy, and goes
 * on listening; the copy is made, and the agent started, only where there is no such session. Both are removed before
 * anything is answered. One that was ended while nobody listened has been broken off: it is asked anew, under another
 * name.
 */
export async function performReview(rooms: Rooms, effect: AskReview, under: Under): Promise<EffectOutcome> {
  try {
    const outcome = await withBoundTree(rooms, effect, under.run, () => askReviewer(rooms, effect, under));
    // The work is not what was shown before: one that an earlier owner has asked about it is not waited for.
    const isAsked = outcome.kind !== "done" || outcome.review !== undefined;
    if (!isAsked) await abandon(rooms, effect, under);
    if (under.signal.reason === LEFT_TO_NEXT) return outcome;
    return await withSealOpened(rooms, effect.seal, outcome);
  } catch (error) {
    await abandon(rooms, effect, under);
    throw error;
  }
}

/** What the reviewer would obey is not trusted: nobody is asked, and one that an earlier owner has asked is ended. */
export async function refuseReview(
  rooms: Rooms,
  effect: AskReview,
  { refused, ...under }: Under & { readonly refused: EffectOutcome },
): Promise<EffectOutcome> {
  await abandon(rooms, effect, under);
  return withSealOpened(rooms, effect.seal, refused);
}

async function abandon(rooms: Rooms, effect: AskReview, under: Under): Promise<void> {
  const driver = rooms.drivers.get(effect.spec.use);
  if (driver !== undefined) await endSession(rooms, driver, effect);
  await dropCleanCopy(rooms, under);
}

async function askReviewer(rooms: Rooms, effect: AskReview, under: Under): Promise<EffectOutcome> {
  const { agent, spec, session } = effect;
  const driver = rooms.drivers.get(spec.use);
  if (driver === undefined)
    return { kind: "done", review: none(agent, `no driver for "${spec.use}" is available here`) };
  try {
    const left = await driver.find({ session, spec });
    if (left.kind === "gone") return await begin(rooms, driver, effect, under);
    if (left.kind !== "unknown") return await listen(rooms, driver, effect, under, left.kind === "over");
    await endSession(rooms, driver, effect);
    return brokenOff(`whether the reviewer was at work is not known: ${left.detail}`);
  } catch (error) {
    // It may be at work all the same, and nobody would come back for it.
    await endSession(rooms, driver, effect);
    throw error;
  } finally {
    if (under.signal.reason !== LEFT_TO_NEXT) await dropCleanCopy(rooms, under);
  }
}

async function begin(
  rooms: Rooms,
  driver: AgentDriver,
  effect: AskReview,
  under: Under,
): Promise<EffectOutcome> {
  const { agent, spec, session, step, attempt, task } = effect;
  const cwd = await makeCleanCopy(rooms, effect, under);
  if (under.signal.aborted) return brokenOff("the review was broken off");
  const env = { ...spec.env, ...(await sealFor(rooms, { ...effect, cwd })) };
  const order = {
    ...{ run: under.run, session, spec: { ...spec, env }, step },
    ...{ attempt: `${attempt}.review`, number: 1, task, cwd },
  };
  const started = await driver.start(order);
  if (started.kind === "failed")
    return { kind: "done", review: none(agent, `it could not be started: ${started.text}`) };
  return listen(rooms, driver, effect, under, false);
}

async function listen(
  rooms: Rooms,
  driver: AgentDriver,
  effect: AskReview,
  { signal }: Under,
  wasOver: boolean,
): Promise<EffectOutcome> {
  const { agent } = effect;
  const heard = await hearAnswer(rooms, driver, effect, signal);
  if (signal.reason === LEFT_TO_NEXT) return brokenOff(LEFT_TO_NEXT);
  await endSession(rooms, driver, effect);
  if (signal.aborted) return brokenOff("the review was broken off", heard);
  const review = reviewOf(agent, heard);
  if (wasOver && !heard.cleanly && review.verdict === "none")
    return brokenOff("the reviewer was ended while nobody listened", heard);
  return { kind: "done", review };
}

const brokenOff = (text: string, used?: { usd: number; tokens: number }): EffectOutcome => ({
  kind: "failed",
  terminal: false,
  text,
  ...(used === undefined ? {} : { used: { usd: used.usd, tokens: used.tokens } }),
});

/** So long the last words of a reviewer that was ended are read. */
const LAST_MS = 2_000;

/** What a reviewer has used that was ended before its verdict: counted from its whole session, once. */
export async function usedByReviewer(
  rooms: Rooms,
  driver: AgentDriver,
  { session, spec, prices }: SessionRef & Pick<AskReview, "prices">,
): Promise<{ usd: number; tokens: number }> {
  const asked = { session, spec, prices, limitMs: LAST_MS, usd: Infinity };
  const heard = await hearAnswer(rooms, driver, asked, new AbortController().signal);
  return { usd: heard.usd, tokens: heard.tokens };
}
