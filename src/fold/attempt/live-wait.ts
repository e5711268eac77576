import type { Pattern } from "../../model/agent/health.ts";
import type { SpentKind } from "../../model/requests/budget.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/**
 * Suspension (B1): while a run waits for people, none of its sessions makes a request. A session is ended politely, its
 * conversation and its files are kept, and it costs no attempt; when the run continues, the step continues in the same
 * conversation where its agent can.
 *
 * A session is suspended at once where a loop verdict stands; at the end of its turn, within `suspend.turnMs`,
 * otherwise. One that is idle because it waits for the answer itself (a permission, its own question) stays alive for
 * `suspend.waitMs`, so that a prompt answer reaches it, unless it is seen at work meanwhile.
 */
const LOOPS: ReadonlySet<Pattern> = new Set(["tool_loop", "error_loop", "monologue", "alternation"]);

export const hasLoopVerdict = ({ health, assessed }: AttemptState): boolean =>
  (health.flag !== null && LOOPS.has(health.flag.pattern)) ||
  (assessed.state === "stuck" && assessed.pattern !== null && LOOPS.has(assessed.pattern));

/** People are asked, and nothing of the run continues before they have answered. */
export const asksPeople = ({ status }: RunState): boolean =>
  status === "blocked" || status === "awaiting_approval";

export const askedSince = ({ blockedAt }: RunState, { startedAt }: AttemptState): number =>
  Math.max(blockedAt, startedAt);

/** A step that a person does has no session that could work or spend. */
export const isManual = ({ agents }: RunState, { agent }: AttemptState): boolean =>
  agents[agent]?.use === "manual";

/** It waits for the very answer that people are asked for: a permission, or its own question. */
export const asksItself = (
  { blocked }: RunState,
  { id, permissions, health, asked }: AttemptState,
): boolean =>
  asked || blocked?.ask?.attempt === id || Object.keys(permissions).length > 0 || health.asks.length > 0;

/** While a person is asked and the agent is idle for that, its clock stands still (G10). */
export function isLiveWait(state: RunState, attempt: AttemptState): boolean {
  if (!asksPeople(state)) return false;
  if (isManual(state, attempt)) return true;
  if (hasLoopVerdict(attempt) || !asksItself(state, attempt)) return false;
  // What was under way when it asked may still end; the one that works later does not wait.
  return attempt.activeAt <= askedSince(state, attempt) + state.settings.suspend.turnMs;
}

/** Time at work: what an idle agent waited for a person is not counted (G10). */
export function workedMs(state: RunState, attempt: AttemptState, now: number): number {
  const { startedAt, waitedMs } = attempt;
  const until = isLiveWait(state, attempt) ? Math.min(now, Math.max(state.blockedAt, startedAt)) : now;
  return Math.max(0, until - startedAt - waitedMs);
}

export const pressKey = (kind: SpentKind, step?: string): string =>
  step === undefined ? kind : `${step}/${kind}`;
