import { type Applied, policyKey } from "../../fold/gate/evolve-policy.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isPolicyAbout, type Policy } from "../../model/flow/policy.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";

/** What a policy finds before a step is given to its agent; null for nothing. Pure: recorded facts alone count. */
function foundAtDispatch(state: RunState, policy: Policy, { spec, spent }: StepState): string | null {
  const { maxUsd, maxTokens, sameInARow, requires, forbidsAgent } = policy;
  if (maxUsd !== undefined && spent.usd >= maxUsd)
    return `step ${spec.name} has cost ${String(spent.usd)} of ${String(maxUsd)} usd`;
  if (maxTokens !== undefined && spent.tokens >= maxTokens)
    return `step ${spec.name} has used ${String(spent.tokens)} of ${String(maxTokens)} tokens`;
  if (sameInARow !== undefined) {
    const who = spec.role ?? spec.agent;
    const last = state.rules.lastRoles.slice(-sameInARow);
    if (last.length === sameInARow && last.every((one) => one === who))
      return `${who} has begun the last ${String(sameInARow)} attempts`;
  }
  if (requires !== undefined) {
    const status = state.steps[requires.step]?.status ?? "not there";
    if (status !== requires.status)
      return `step ${requires.step} is ${status}, and must be ${requires.status}`;
  }
  return forbidsAgent !== undefined && forbidsAgent === spec.agent
    ? `step ${spec.name} would be done by ${spec.agent}`
    : null;
}

/** The same of an attempt at work. */
function foundAtWork(policy: Policy, attempt: AttemptState, { spent }: StepState): string | null {
  const { maxTurns, maxUsd, maxTokens } = policy;
  if (maxTurns !== undefined && attempt.spent.turns > maxTurns)
    return `${attempt.id} has taken ${String(attempt.spent.turns)} turns, of ${String(maxTurns)} allowed`;
  if (maxUsd !== undefined && spent.usd > maxUsd)
    return `step ${attempt.step} has cost ${String(spent.usd)} of ${String(maxUsd)} usd`;
  return maxTokens !== undefined && spent.tokens > maxTokens
    ? `step ${attempt.step} has used ${String(spent.tokens)} of ${String(maxTokens)} tokens`
    : null;
}

const blocked = ({ policy, step, evidence }: Applied, attemptKept: boolean): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "policy_escalation",
      detail: `policy "${policy}": ${evidence.join("; ")}`,
      step,
      attemptKept,
      guidance: [],
    },
  },
});

/**
 * Whether policies let a step be given out: null for yes. What is escalated is asked at once; what is blocked is held,
 * and asked about when nothing else of the run can go on. Somebody who unblocks lets that one thing pass.
 */
export function policyAtDispatch(
  state: RunState,
  step: StepState,
): { readonly now: readonly RunEvent[] } | { readonly held: readonly RunEvent[] } | null {
  for (const policy of state.settings.policies) {
    const key = policyKey(policy.name, step.spec.name);
    const noted = state.rules.policies[key];
    if (!isPolicyAbout(policy, step.spec) || noted === "passed") continue;
    const found = foundAtDispatch(state, policy, step);
    if (found === null) continue;
    const data: Applied = {
      policy: policy.name,
      then: policy.then,
      moment: "dispatch",
      step: step.spec.name,
      evidence: [found],
    };
    const applied: RunEvent = { type: "PolicyApplied", data };
    if (policy.then === "escalate") return { now: [applied, blocked(data, false)] };
    if (policy.then === "block") return { held: [applied, blocked(data, false)] };
    if (noted === undefined) return { now: [applied] };
  }
  return null;
}

/** A person has let the step pass: its next attempts are not ended for the same again. */
const isLetPass = ({ rules }: RunState, { name, then }: Policy, step: string): boolean =>
  then !== "warn" && rules.policies[policyKey(name, step)] === "passed";

/** What policies say of those at work. A blocked attempt is ended, uncharged; an escalated one lives on meanwhile. */
export function decidePolicies(state: RunState): RunEvent[] {
  if (state.status !== "running" || state.settings.policies.length === 0) return [];
  for (const attempt of Object.values(state.attempts)) {
    const step = state.steps[attempt.step];
    if (step === undefined || attempt.ending !== null) continue;
    for (const policy of state.settings.policies) {
      const noted = state.rules.policies[policyKey(policy.name, attempt.step, attempt.id)];
      if (noted !== undefined || isLetPass(state, policy, attempt.step)) continue;
      if (!isPolicyAbout(policy, step.spec)) continue;
      const found = foundAtWork(policy, attempt, step);
      if (found !== null) return atWork(policy, attempt, found);
    }
  }
  return [];
}

function atWork({ name, then }: Policy, attempt: AttemptState, found: string): RunEvent[] {
  const { id, step } = attempt;
  const data: Applied = { policy: name, then, moment: "work", step, attempt: id, evidence: [found] };
  const applied: RunEvent = { type: "PolicyApplied", data };
  if (then === "warn") return [applied];
  if (then === "escalate") return [applied, blocked(data, true)];
  const why = `policy "${name}": ${found}`;
  return [applied, { type: "AttemptEnding", data: { attempt: id, to: "policy", why } }, blocked(data, false)];
}
