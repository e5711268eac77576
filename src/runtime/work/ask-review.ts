import type { AgentDriver, SessionRef } from "../../agents/agent-driver.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { withBoundTree } from "./bound-evidence.ts";
import { dropCleanCopy, makeCleanCopy } from "./clean-copy.ts";
import { endSession, receiveAnswer } from "./read-answer.ts";
import { noReview as none, reviewOf } from "./review-verdict.ts";
import type { Ports } from "../ports.ts";
import { sealFor, withSealOpened } from "./seal-work.ts";

type AskReview = Extract<Effect, { kind: "AskReview" }>;

interface Under {
  readonly run: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Why something is broken off that is still wanted: the one that owns the run next goes on with it. */
export const LEFT_TO_NEXT = "left to the next owner";

/**
 * Asks an agent for its verdict on the work of another. It works in a copy of what would be accepted, so nothing that
 * it changes is anybody's.
 *
 * Its session has a name of its own. The one that performs the effect again finds it by that, at work in its copy, and
 * goes on listening; the copy is made, and the agent started, only where there is no such session. Both are removed
 * before anything is answered. One that was ended while nobody listened has been broken off: it is asked again, under
 * another name.
 */
export async function performReview(ports: Ports, effect: AskReview, under: Under): Promise<EffectOutcome> {
  try {
    const outcome = await withBoundTree(ports, effect, under.run, () => askReviewer(ports, effect, under));
    // The work is not what was shown before: one that an earlier owner has asked about it is not waited for.
    const isAsked = outcome.kind !== "done" || outcome.review !== undefined;
    if (!isAsked) await abandon(ports, effect, under);
    if (under.signal.reason === LEFT_TO_NEXT) return outcome;
    return await withSealOpened(ports, effect.seal, outcome);
  } catch (error) {
    await abandon(ports, effect, under);
    throw error;
  }
}

/** What the reviewer would obey is not trusted: nobody is asked, and one that an earlier owner has asked is ended. */
export async function refuseReview(
  ports: Ports,
  effect: AskReview,
  { refused, ...under }: Under & { readonly refused: EffectOutcome },
): Promise<EffectOutcome> {
  await abandon(ports, effect, under);
  return withSealOpened(ports, effect.seal, refused);
}

async function abandon(ports: Ports, effect: AskReview, under: Under): Promise<void> {
  const driver = ports.drivers.get(effect.spec.use);
  if (driver !== undefined) await endSession(ports, driver, effect);
  await dropCleanCopy(ports, under);
}

async function askReviewer(ports: Ports, effect: AskReview, under: Under): Promise<EffectOutcome> {
  const { agent, spec, session } = effect;
  const driver = ports.drivers.get(spec.use);
  if (driver === undefined)
    return { kind: "done", review: none(agent, `no driver for "${spec.use}" is available here`) };
  try {
    const left = await driver.find({ session, spec });
    if (left.kind === "gone") return await begin(ports, driver, effect, under);
    if (left.kind !== "unknown") return await listen(ports, driver, effect, under, left.kind === "over");
    await endSession(ports, driver, effect);
    return brokenOff(`whether the reviewer was at work is not known: ${left.detail}`);
  } catch (error) {
    // It may be at work all the same, and nobody would come back for it.
    await endSession(ports, driver, effect);
    throw error;
  } finally {
    if (under.signal.reason !== LEFT_TO_NEXT) await dropCleanCopy(ports, under);
  }
}

async function begin(
  ports: Ports,
  driver: AgentDriver,
  effect: AskReview,
  under: Under,
): Promise<EffectOutcome> {
  const { agent, spec, session, step, attempt, task } = effect;
  const cwd = await makeCleanCopy(ports, effect, under);
  if (under.signal.aborted) return brokenOff("the review was broken off");
  const env = { ...spec.env, ...(await sealFor(ports, { ...effect, cwd })) };
  const order = {
    ...{ run: under.run, session, spec: { ...spec, env }, step },
    ...{ attempt: `${attempt}.review`, number: 1, task, cwd },
  };
  const started = await driver.start(order);
  if (started.kind === "failed")
    return { kind: "done", review: none(agent, `it could not be started: ${started.text}`) };
  return listen(ports, driver, effect, under, false);
}

async function listen(
  ports: Ports,
  driver: AgentDriver,
  effect: AskReview,
  { signal }: Under,
  wasOver: boolean,
): Promise<EffectOutcome> {
  const { agent } = effect;
  const received = await receiveAnswer(ports, driver, effect, signal);
  if (signal.reason === LEFT_TO_NEXT) return brokenOff(LEFT_TO_NEXT);
  await endSession(ports, driver, effect);
  if (signal.aborted) return brokenOff("the review was broken off", received);
  const review = reviewOf(agent, received);
  if (wasOver && !received.cleanly && review.verdict === "none")
    return brokenOff("the reviewer was ended while nobody listened", received);
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
  ports: Ports,
  driver: AgentDriver,
  { session, spec, prices }: SessionRef & Pick<AskReview, "prices">,
): Promise<{ usd: number; tokens: number }> {
  const asked = { session, spec, prices, limitMs: LAST_MS, usd: Infinity };
  const received = await receiveAnswer(ports, driver, asked, new AbortController().signal);
  return { usd: received.usd, tokens: received.tokens };
}
