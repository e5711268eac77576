import { ceilingOf, type AgentBudget } from "../requests/budget.ts";
import type { Flow, Step } from "./flow.ts";
import type { FlowProblem } from "./flow-dead-ends.ts";
import { inOrder, notBuilt } from "./flow-order.ts";
import { isPolicyAbout, type Policy } from "./policy.ts";

/** What a run of the flow would be held to. */
export interface FlowLimits {
  readonly budget: AgentBudget;
  readonly time: { readonly runMs?: number | undefined; readonly phaseMs?: number | undefined };
  readonly attempts: { readonly perStep: number };
  readonly policies: readonly Policy[];
}

/** A problem is sure; of what is only likely people are warned. */
export interface LimitFinding extends FlowProblem {
  readonly sure: boolean;
}

/** Rules that keep a step from ever being done, or from having what it is given. Those that only warn keep nothing. */
export function policyFindings(flow: Flow, limits: FlowLimits): LimitFinding[] {
  const ruling = limits.policies.filter(({ then }) => then !== "warn");
  if (ruling.length === 0) return [];
  const ofSteps = flow.steps.flatMap((step) =>
    ruling
      .filter((policy) => isPolicyAbout(policy, step))
      .flatMap((policy) => [...capsBelow(step, policy, limits), ...forbidden(step, policy)]),
  );
  return [...ofSteps, ...neverStands(flow, ruling), ...rowsTooLong(flow, ruling)];
}

const ruled = (
  { name }: Pick<Step, "name">,
  { then, name: policy }: Policy,
  { at, says }: { readonly at: readonly PropertyKey[]; readonly says: string },
): LimitFinding => ({
  step: name,
  at,
  problem: `the policy "${policy}" ${says}`,
  // Who wants to be asked is asked: nothing is wrong with that for sure.
  sure: then === "block",
});

function capsBelow(step: Step, policy: Policy, { attempts }: FlowLimits): LimitFinding[] {
  const { budget } = step;
  if (budget === undefined || budget.onExceed === "warn") return [];
  const most =
    policy.maxTurns === undefined ? undefined : policy.maxTurns * (step.attemptsMax ?? attempts.perStep);
  const caps = { usd: policy.maxUsd, tokens: policy.maxTokens, turns: most } as const;
  return (["usd", "tokens", "turns"] as const).flatMap((kind): LimitFinding[] => {
    const given = ceilingOf(budget, kind);
    const cap = caps[kind];
    if (given === undefined || cap === undefined || cap >= given) return [];
    const key = kind === "turns" && budget.turns === undefined ? "iterations" : kind;
    const whole = kind === "turns" ? ` in all its attempts (${String(policy.maxTurns)} in one)` : "";
    const says = `stops it at ${String(cap)} ${kind}${whole}, and its budget gives it ${String(given)}: let both say the same`;
    return [ruled(step, policy, { at: ["budget", key], says })];
  });
}

const forbidden = (step: Step, policy: Policy): LimitFinding[] =>
  policy.forbidsAgent !== undefined && policy.forbidsAgent === step.agent
    ? [
        ruled(step, policy, {
          at: ["agent"],
          says: `does not let "${step.agent}" do it: give it to another agent`,
        }),
      ]
    : [];

/** A step that must wait for one that waits for it, or that does not exist. */
function neverStands(flow: Flow, ruling: readonly Policy[]): LimitFinding[] {
  const names = new Set(flow.steps.map(({ name }) => name));
  const mayGrow = flow.steps.some(({ plans }) => plans !== undefined);
  const pairs = ruling.flatMap((policy) => {
    const { requires } = policy;
    if (requires === undefined) return [];
    return flow.steps
      .filter((step) => isPolicyAbout(policy, step))
      .map((step) => ({ policy, step, earlier: step.name, later: requires.step }));
  });
  const missing = pairs.filter(({ later }) => !names.has(later) && !mayGrow);
  const known = pairs.filter(({ later, earlier }) => names.has(later) && later !== earlier);
  const byName = new Map(flow.steps.map((step) => [step.name, step]));
  const order = inOrder(flow.steps).flatMap((name) => byName.get(name) ?? []);
  const apart = new Set(notBuilt(order, known));
  return [
    ...missing.map(({ policy, step, later }) =>
      ruled(step, policy, {
        at: [],
        says: `lets it begin only when "${later}" is ${statusOf(policy)}, which is no step`,
      }),
    ),
    ...pairs
      .filter((pair) => pair.later === pair.earlier || (names.has(pair.later) && !apart.has(pair)))
      .map(({ policy, step, later }) =>
        ruled(step, policy, {
          at: [],
          says: `lets it begin only when "${later}" is ${statusOf(policy)}, which waits for it`,
        }),
      ),
  ];
}

const statusOf = ({ requires }: Policy): string => requires?.status ?? "succeeded";

/** Where everything is done by one, a rule against too many in a row finds it for certain, and asks a person. */
function rowsTooLong({ steps }: Flow, ruling: readonly Policy[]): LimitFinding[] {
  const [first] = steps;
  const who = first?.role ?? first?.agent;
  if (
    steps.some(
      ({ role, agent, plans, when }) => (role ?? agent) !== who || plans !== undefined || when !== undefined,
    )
  )
    return [];
  return ruling.flatMap((policy) => {
    const { sameInARow: most } = policy;
    const beyond = most === undefined ? undefined : steps[most];
    if (beyond === undefined || steps.some((step) => !isPolicyAbout(policy, step))) return [];
    const says = `lets "${who ?? ""}" begin ${String(most)} times in a row, and it does all ${String(steps.length)} steps: a person will be asked`;
    return [{ ...ruled(beyond, policy, { at: [], says }), sure: false }];
  });
}
