import type { HealthState } from "../../model/agent/health.ts";
import type { Observed } from "../../model/agent/observed.ts";
import type { HealthLimits } from "./health-limits.ts";
import { flag, meetLimit, raise, voice } from "./health-voice.ts";

/** The screen is one witness among several: it speaks for the agent only where nothing else does. */
export function hearScreen(
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
