import type { HealthLimits } from "./health-limits.ts";
import type { Flag, HealthState, Pattern } from "../../model/agent/health.ts";
import type { LimitSeen, Observed } from "../../model/agent/observed.ts";

/** What every kind of observation does to what is remembered of a session. */

export const flag = (pattern: Pattern, at: number, confidence: number, ...evidence: string[]): Flag => ({
  pattern,
  at,
  confidence,
  evidence,
});

/** The first completed pattern stands until it is cleared; the same one again is not reported twice. */
export function raise(health: HealthState, next: Flag | null): void {
  if (next !== null && (health.flag === null || health.flag.pattern !== next.pattern)) health.flag = next;
}

/** Anything said by the agent ends a wait for the provider, and is an answer of its model. */
export function voice(health: HealthState, at: number): void {
  health.voiceAt = at;
  health.limit = null;
  if (health.turnSince !== null) health.turnSince = at;
}

export function meetLimit(health: HealthState, limit: LimitSeen, at: number): void {
  health.limit = { since: at, ...limit };
  health.pace.from = null;
  health.lastLimit = {
    until: limit.until,
    text: limit.text,
    ...(limit.named === true ? { named: true } : {}),
  };
}

/** The screen is one witness among several: it speaks for the agent only where nothing else does. */
export function observeScreen(
  health: HealthState,
  { key, atPrompt, limit }: Extract<Observed, { kind: "screen" }>,
  at: number,
  limits: HealthLimits,
): void {
  const before = health.screen;
  const changed = before?.key !== key;
  health.screen = {
    key,
    atPrompt,
    same: changed ? 1 : before.same + 1,
    changedAt: changed ? at : before.changedAt,
  };
  if (changed) {
    if (health.flag !== null && (health.flag.pattern === "early_stop" || health.flag.pattern === "promise"))
      health.flag = null;
    if (limit === null) health.limit = null;
    if (health.resultsSeen === 0 && health.open.length === 0 && health.said.alike === "") voice(health, at);
  }
  if (limit !== null && health.limit === null) meetLimit(health, limit, at);
  if (atPrompt) health.turnSince = null;
  if (!atPrompt || health.screen.same < limits.screensSame || health.limit !== null) return;
  if (health.open.length > 0 || health.asks.length > 0 || health.ended || health.said.asks) return;
  const seen = `the screen was the same ${String(health.screen.same)} times, at its prompt, with no call open`;
  raise(
    health,
    health.said.promises > 0
      ? flag("promise", at, 0.85, "the last message announces an action that did not follow", seen)
      : flag("early_stop", at, 0.85, seen),
  );
}

/** No step frees so much of a context: an agent that says nothing of it has made its conversation shorter. */
const FREED_PCT = 30;

export const isCondensed = ({ contextPct }: HealthState, usedPct: number): boolean =>
  contextPct !== null && contextPct - usedPct >= FREED_PCT;

/** Takes it that the conversation was made shorter; `usedPct` is what is used since, where that is known. */
export function observeCondensed(
  health: HealthState,
  usedPct: number | null,
  at: number,
  limits: HealthLimits,
): void {
  // What is reported next of the size is the same news.
  health.contextPct = usedPct;
  health.condensed += 1;
  // What it reads again it has forgotten.
  health.stale = 0;
  if (health.condensed < limits.condensations) return;
  const times = `${String(health.condensed)} times in a row with no work in between`;
  raise(health, flag("resource_exhaustion", at, 0.9, `the context was condensed ${times}`));
}
