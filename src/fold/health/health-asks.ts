import type { HealthState } from "../../model/agent/health.ts";
import type { Observed } from "../../model/agent/observed.ts";

const ASKS_MAX = 16;

/** The agent waits for an answer, and says nothing meanwhile. */
export function observeAsked(
  health: HealthState,
  { id, what, text, callId }: Extract<Observed, { kind: "asked" }>,
  at: number,
): void {
  health.asks = [
    // A screen has room for one question: the next one takes its place.
    ...health.asks.filter((ask) => ask.id !== id && !(what === "person" && ask.what === "person")),
    { id, what, at, ...(text === undefined ? {} : { text }), ...(callId === undefined ? {} : { callId }) },
  ].slice(-ASKS_MAX);
}

/** From here on the agent's silence is its own, and so is the time that a call takes which had to wait. */
export function observeAnswered(health: HealthState, id: string, at: number): void {
  if (health.asks.some((ask) => ask.id === id)) health.open = health.open.map((call) => ({ ...call, at }));
  health.asks = health.asks.filter((ask) => ask.id !== id);
  health.voiceAt = at;
  health.pace.from = at;
  if (health.turnSince !== null) health.turnSince = at;
}

/** What a call comes to that was not allowed: a failure like others, so that asking for it again and again is a loop. */
export const denied = (id: string): Extract<Observed, { kind: "result" }> => ({
  kind: "result",
  id,
  failed: true,
  readsFailed: false,
  exact: "denied",
  alike: "denied",
  bare: false,
  cancelled: false,
  words: "the permission was denied",
});
