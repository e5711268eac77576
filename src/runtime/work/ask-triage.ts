import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { triageAnswerSchema, type TriageReport } from "../../model/effects/triage.ts";
import { triageQuestion, wordsOf } from "./triage-question.ts";
import { answerIn, endSession, hearAnswer, shownAnswer, type Heard } from "./read-answer.ts";
import type { Ports } from "../ports.ts";

type AskTriage = Extract<Effect, { kind: "AskTriage" }>;

interface Under {
  readonly run: string;
  readonly signal: AbortSignal;
}

/** So many events before the question are searched for what the agent did. */
const EVENTS_BACK = 400;

/**
 * Asks a short-lived agent what it makes of a stuck one. Its session has a name of its own, so that whoever performs
 * the effect again finds the same one; it is ended before anything is answered. It is bounded in time and money, and
 * what it wants to be allowed is refused.
 */
export async function performTriage(ports: Ports, effect: AskTriage, under: Under): Promise<EffectOutcome> {
  const driver = ports.drivers.get(effect.spec.use);
  if (driver === undefined) return none(`no driver for "${effect.spec.use}" is available here`);
  const { run } = under;
  const { session, spec, agent, step, of } = effect;
  const after = Math.max(0, effect.position - EVENTS_BACK);
  const events = await ports.journal.read(run, { after, limit: EVENTS_BACK });
  const order = {
    run,
    session,
    spec,
    step,
    attempt: `${of}.triage`,
    number: 1,
    task: triageQuestion(effect, wordsOf(events, of)),
    cwd: ports.idleFolder?.() ?? "/",
  };
  const started = await driver.start(order).catch(async (error: unknown) => {
    // It may be at work all the same.
    await endSession(ports, driver, effect);
    throw error;
  });
  if (started.kind === "failed") return none(`${agent} could not be started: ${started.text}`);
  const heard = await hearAnswer(ports, driver, effect, under.signal);
  // Whoever comes next hears the same session again.
  if (under.signal.aborted) return none("it was broken off");
  await endSession(ports, driver, effect);
  return { kind: "done", triage: reportOf(heard) };
}

const none = (why: string): EffectOutcome => ({
  kind: "done",
  triage: { verdict: "none", why, usd: 0, tokens: 0 },
});

const reportOf = ({ said, problem, usd, tokens }: Heard): TriageReport => ({
  ...(problem === null ? readAnswer(said) : { verdict: "none" as const, why: problem }),
  usd,
  tokens,
});

/** The whole of the last word is the answer; a word in a sentence is none. */
function readAnswer(said: unknown): Pick<TriageReport, "verdict" | "why"> {
  const parsed = triageAnswerSchema.safeParse(answerIn(said));
  return parsed.success
    ? parsed.data
    : { verdict: "none", why: `what it said is no answer: ${shownAnswer(said)}` };
}
