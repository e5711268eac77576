import type { HostFault } from "../../model/host/host-fault.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Notes that the host keeps an effect from being done; since when does not change while it lasts. */
export function delayEffect(
  state: RunState,
  key: string,
  { fault, text, at }: { readonly fault: HostFault; readonly text: string; readonly at: number },
): void {
  const effect = state.effects[key];
  if (effect === undefined) return;
  const since = state.delayed?.[key]?.since ?? at;
  const attempt = "attempt" in effect ? effect.attempt : null;
  state.delayed = { ...state.delayed, [key]: { fault, text, since, kind: effect.kind, attempt } };
}

/** The time that a start took because of the host is not the attempt's. */
export function endDelay(state: RunState, key: string, at: number): void {
  const delay = state.delayed?.[key];
  if (delay === undefined || state.delayed === undefined) return;
  const attempt = state.attempts[delay.attempt ?? ""];
  if (attempt !== undefined && delay.kind === "StartAgent") attempt.waitedMs += Math.max(0, at - delay.since);
  Reflect.deleteProperty(state.delayed, key);
  if (Object.keys(state.delayed).length === 0) delete state.delayed;
}
