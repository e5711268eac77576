import type { AgentDriver, Listener, SessionRef } from "../agents/agent-driver.ts";
import type { Effect, EffectOutcome } from "../model/effects.ts";
import { errorText } from "../model/fault.ts";
import type { Signal } from "../model/signals.ts";
import { triageAnswerSchema, type TriageReport } from "../model/triage.ts";
import { triageQuestion, wordsOf } from "./triage-question.ts";
import type { Rooms } from "./rooms.ts";

type AskTriage = Extract<Effect, { kind: "AskTriage" }>;

interface Under {
  readonly run: string;
  readonly signal: AbortSignal;
}

/** So many events before the question are searched for what the agent did. */
const EVENTS_BACK = 400;
const END_GRACE_MS = 5_000;

/**
 * Asks a short-lived agent what it makes of a stuck one. Its session has a name of its own, so that whoever performs
 * the effect again finds the same one; it is ended before anything is answered. It is bounded in time and money, and
 * what it wants to be allowed is refused.
 */
export async function performTriage(rooms: Rooms, effect: AskTriage, under: Under): Promise<EffectOutcome> {
  const driver = rooms.drivers.get(effect.spec.use);
  if (driver === undefined) return none(`no driver for "${effect.spec.use}" is available here`);
  const { run } = under;
  const { session, spec, agent, step, of } = effect;
  const after = Math.max(0, effect.position - EVENTS_BACK);
  const events = await rooms.journal.read(run, { after, limit: EVENTS_BACK });
  const started = await driver.start({
    run,
    session,
    spec,
    step,
    attempt: `${of}.triage`,
    number: 1,
    task: triageQuestion(effect, wordsOf(events, of)),
    cwd: rooms.idleFolder?.() ?? "/",
  });
  if (started.kind === "failed") return none(`${agent} could not be started: ${started.text}`);
  const heard = await hearAnswer(rooms, driver, effect, under.signal);
  // Whoever comes next hears the same session again.
  if (under.signal.aborted) return none("it was broken off");
  await driver.end({ session, spec }, END_GRACE_MS);
  return { kind: "done", triage: heard };
}

const none = (why: string): EffectOutcome => ({
  kind: "done",
  triage: { verdict: "none", why, usd: 0, tokens: 0 },
});

/** Listens until there is an answer, or its time or money is used up. */
function hearAnswer(
  { world }: Rooms,
  driver: AgentDriver,
  { session, spec, limitMs, usd: usdMax }: AskTriage,
  signal: AbortSignal,
): Promise<TriageReport> {
  return new Promise((resolve) => {
    const spent = { usd: 0, tokens: 0 };
    const open: { listener: Listener | null; stopTimer: () => void } = {
      listener: null,
      stopTimer: () => undefined,
    };
    let last: unknown = null;
    const end = (report: Pick<TriageReport, "verdict" | "why">): void => {
      open.stopTimer();
      signal.removeEventListener("abort", aborted);
      open.listener?.close();
      resolve({ ...report, ...spent });
    };
    const aborted = (): void => {
      end({ verdict: "none", why: "it was broken off" });
    };
    const hearOne = (one: Signal): boolean => {
      if (one.kind === "usage") {
        spent.usd += one.usd ?? 0;
        spent.tokens += (one.tokensIn ?? 0) + (one.tokensOut ?? 0);
        if (spent.usd <= usdMax) return false;
        end({ verdict: "none", why: `it cost more than ${String(usdMax)} USD` });
        return true;
      }
      if (one.kind === "permission") void refuse(driver, { session, spec }, one.askId);
      if (one.kind === "message" && one.from === "agent") last = one.text;
      if (one.kind === "result") last = one.value ?? one.text;
      if (one.kind !== "exit") return false;
      end(readAnswer(last));
      return true;
    };
    open.stopTimer = world.timer(limitMs, () => {
      end({ verdict: "none", why: `no answer within ${String(Math.round(limitMs / 1_000))} s` });
    });
    open.listener = driver.listen({ session, spec }, "", ({ signals }) => {
      for (const one of signals) if (hearOne(one)) break;
      return Promise.resolve();
    });
    signal.addEventListener("abort", aborted);
  });
}

async function refuse(driver: AgentDriver, session: SessionRef, askId: string): Promise<void> {
  try {
    await driver.answer(session, { key: `triage/${askId}`, askId, allow: false });
  } catch (error) {
    // It waits for an answer that it cannot get: its time ends it.
    void errorText(error);
  }
}

/** The whole of the last word is the answer, alone or in one fence; a word in a sentence is none. */
function readAnswer(last: unknown): Pick<TriageReport, "verdict" | "why"> {
  const parsed = triageAnswerSchema.safeParse(typeof last === "string" ? parsedJson(last) : last);
  if (parsed.success) return parsed.data;
  const said = typeof last === "string" ? last : (JSON.stringify(last) ?? "");
  return { verdict: "none", why: `what it said is no answer: ${said.slice(0, 200)}` };
}

function parsedJson(text: string): unknown {
  const [, inside = text] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text) ?? [];
  try {
    return JSON.parse(inside);
  } catch {
    return undefined;
  }
}
