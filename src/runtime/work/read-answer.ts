import type { AgentDriver, EndOutcome, Listener, SessionRef } from "../../agents/agent-driver.ts";
import { countAsked } from "../../decide/requests/asked-budget.ts";
import type { AskedSpent } from "../../fold/resource/spent-today.ts";
import type { Prices } from "../../model/settings/prices.ts";
import { errorText } from "../../model/fault.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { pause, type Ports } from "../ports.ts";

const END_GRACE_MS = 5_000;
const END_TRIES = 5;
const END_PAUSE_MS = 1_000;

/** A short-lived session that is bounded in time and money. */
export interface BoundedSession extends SessionRef {
  readonly limitMs: number;
  readonly usd: number;
  readonly tokens?: number | undefined;
  readonly prices?: Prices | undefined;
}

/** What a session said last, or why it said nothing, and what it cost. */
export interface ReceivedAnswer {
  readonly said: unknown;
  /** Null where it ended by itself. */
  readonly problem: string | null;
  /** Whether it came to its end by itself, and well. */
  readonly cleanly: boolean;
  readonly usd: number;
  readonly tokens: number;
}

/** Listens until there is an answer, or its time or money is used up. What it wants to be allowed is refused. */
export function receiveAnswer(
  { world }: Ports,
  driver: AgentDriver,
  { session, spec, limitMs, usd: usdMax, tokens: tokensMax = Infinity, prices }: BoundedSession,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  return new Promise((resolve) => {
    const spent: AskedSpent = { usd: 0, tokens: 0 };
    const open: { listener: Listener | null; stopTimer: () => void } = {
      listener: null,
      stopTimer: () => undefined,
    };
    let last: unknown = null;
    const end = (problem: string | null, cleanly = false): void => {
      open.stopTimer();
      signal.removeEventListener("abort", aborted);
      open.listener?.close();
      resolve({ said: last, problem, cleanly, usd: spent.usd, tokens: spent.tokens });
    };
    const aborted = (): void => {
      end("it was broken off");
    };
    const receiveOne = (one: Signal): boolean => {
      if (one.kind === "usage") {
        countAsked(spent, one, { prices, model: spec.model });
        const limit = spent.usd > usdMax ? `$${usdMax.toFixed(2)}` : `${String(tokensMax)} tokens`;
        if (spent.usd <= usdMax && spent.tokens <= tokensMax) return false;
        end(`it used more than ${limit}`);
        return true;
      }
      if (one.kind === "permission") void refuse(driver, { session, spec }, one.askId);
      if (one.kind === "message" && one.from === "agent") last = one.text;
      if (one.kind === "result") last = one.value ?? one.text;
      if (one.kind !== "exit") return false;
      end(null, one.how === "code" && one.code === 0);
      return true;
    };
    open.stopTimer = world.timer(limitMs, () => {
      end(`no answer within ${String(Math.round(limitMs / 1_000))} s`);
    });
    open.listener = driver.listen({ session, spec }, "", ({ signals }) => {
      for (const one of signals) if (receiveOne(one)) break;
      return Promise.resolve();
    });
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted);
  });
}

/** Where it cannot be ended at once, it is tried again: nobody comes back for the one that was only asked. */
export async function endSession(
  { world }: Ports,
  driver: AgentDriver,
  { session, spec }: SessionRef,
): Promise<EndOutcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await driver.end({ session, spec }, END_GRACE_MS);
    if (outcome.kind === "ended" || tries === END_TRIES) return outcome;
    await pause(world, END_PAUSE_MS);
  }
}

async function refuse(driver: AgentDriver, session: SessionRef, askId: string): Promise<void> {
  try {
    await driver.answer(session, { key: `refused/${askId}`, askId, allow: false });
  } catch (error) {
    // It waits for an answer that it cannot get: its time ends it.
    void errorText(error);
  }
}
