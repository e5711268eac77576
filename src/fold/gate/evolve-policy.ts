import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

export type Applied = EventData<"PolicyApplied">;

export const policyKey = (policy: string, step: string, attempt?: string): string =>
  `${policy}/${attempt ?? step}`;

/** The part of the fold that concerns policies. */
export const evolvePolicy = {
  PolicyApplied(state: RunState, { policy, then, step, attempt, moment }: Applied): void {
    const key = policyKey(policy, step, attempt);
    state.rules.policies[key] = then === "warn" || moment === "work" ? "passed" : "asked";
  },
};

/** A person lets pass what was asked about. */
export function passPolicies({ rules, blocked, settings }: RunState): void {
  if (blocked?.reason !== "policy_escalation" || blocked.step === undefined) return;
  for (const { name } of settings.policies)
    if (blocked.detail.startsWith(`policy "${name}":`))
      rules.policies[policyKey(name, blocked.step)] = "passed";
}
