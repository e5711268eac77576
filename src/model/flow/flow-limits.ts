import { AGENTS } from "../agent/kinds/registry.ts";
import { ceilingOf, SPENT_KINDS, type AgentBudget, type SpentKind } from "../requests/budget.ts";
import { durationText } from "../text/duration.ts";
import type { AgentSpec, Flow, Step } from "./flow.ts";
import { inOrder } from "./flow-order.ts";
import { policyFindings, type FlowLimits, type LimitFinding } from "./flow-policies.ts";

/**
 * Limits that cannot suffice, in a flow that has no other problem. What a step or phase is given and can never have is
 * sure to be wrong; whether all of them together are too much shows only when they use it up. Costs steps and edges.
 */
export function limitFindings(
  flow: Flow,
  limits: FlowLimits,
  agents: Readonly<Record<string, AgentSpec>>,
): LimitFinding[] {
  const sure = sureSteps(flow);
  return [
    ...budgetFindings(flow, limits, sure),
    ...turnFindings(limits, agents, sure),
    ...timeFindings(flow, limits),
    ...chainFindings(flow, limits, sure),
    ...policyFindings(flow, limits),
  ];
}

/** Steps that are done in every run that ends well: nothing lets them be skipped. */
function sureSteps({ steps }: Flow): Step[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const sure = new Set<string>();
  for (const name of inOrder(steps)) {
    const step = byName.get(name);
    if (step === undefined || step.when !== undefined) continue;
    if (step.onSkipped === "run" || step.needs.every((need) => sure.has(need))) sure.add(name);
  }
  return steps.filter(({ name }) => sure.has(name));
}

const amount = (kind: SpentKind, of: number): string =>
  kind === "timeMs" ? `${durationText(of)} of work` : `${String(Math.round(of * 1e6) / 1e6)} ${kind}`;

const keyOf = (budget: AgentBudget | undefined, kind: SpentKind): string =>
  kind === "turns" && budget?.turns === undefined ? "iterations" : kind;

/** Only what stops at its end is a limit. */
const stopping = (budget: AgentBudget | undefined, kind: SpentKind): number | undefined =>
  budget?.onExceed === "warn" ? undefined : ceilingOf(budget, kind);

function budgetFindings(
  { steps }: Flow,
  { budget, time }: FlowLimits,
  sure: readonly Step[],
): LimitFinding[] {
  return SPENT_KINDS.flatMap((kind): LimitFinding[] => {
    const total = stopping(budget, kind);
    const found = steps.flatMap((step): LimitFinding[] => {
      const own = stopping(step.budget, kind);
      const at = ["budget", keyOf(step.budget, kind)];
      if (own !== undefined && total !== undefined && own > total)
        return [
          finding(
            step,
            at,
            `it may use ${amount(kind, own)}, and the whole run only ${amount(kind, total)}: give the run as much, or the step less`,
          ),
        ];
      const { runMs } = time;
      return kind === "timeMs" && own !== undefined && runMs !== undefined && own > runMs
        ? [
            finding(
              step,
              at,
              `it may use ${amount(kind, own)}, and the whole run may take ${durationText(runMs)}: give the run as much time, or the step less`,
            ),
          ]
        : [];
    });
    return found.length > 0 || total === undefined ? found : together(sure, kind, total);
  });
}

/** The step at which the budgets of all come to more than the run has. */
function together(sure: readonly Step[], kind: SpentKind, total: number): LimitFinding[] {
  let sum = 0;
  const given = sure.map((step) => ({ step, own: stopping(step.budget, kind) ?? 0 }));
  const all = given.reduce((before, { own }) => before + own, 0);
  for (const { step, own } of given) {
    sum += own;
    if (sum > total + 1e-9)
      return [
        likely(
          step,
          ["budget", keyOf(step.budget, kind)],
          `the budgets of the flow's steps come to ${amount(kind, all)}, and the run has ${amount(kind, total)}: if they use what they may, it does not suffice`,
        ),
      ];
  }
  return [];
}

function turnFindings(
  { budget }: FlowLimits,
  agents: Readonly<Record<string, AgentSpec>>,
  sure: readonly Step[],
): LimitFinding[] {
  const total = stopping(budget, "turns");
  if (total === undefined) return [];
  const answering = sure.filter(({ agent }) => {
    const spec = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    return spec !== undefined && AGENTS[spec.use].is === "vendor";
  });
  const beyond = answering[total];
  if (beyond === undefined) return [];
  return [
    finding(
      beyond,
      ["agent"],
      `the run may take ${amount("turns", total)}, and ${String(answering.length)} of its steps take one each at the least: nothing is left for this one`,
    ),
  ];
}

function timeFindings({ steps, phases }: Flow, { time }: FlowLimits): LimitFinding[] {
  const { runMs, phaseMs } = time;
  const phaseLimit = new Map(phases.map(({ name, limitMs }) => [name, limitMs ?? phaseMs]));
  const ofSteps = steps.flatMap((step): LimitFinding[] => {
    const { limitMs, phase } = step;
    if (limitMs === undefined) return [];
    const ofPhase = phase === undefined ? undefined : phaseLimit.get(phase);
    const whole: readonly (readonly [string, number | undefined])[] = [
      ["the whole run", runMs],
      [`its whole phase "${phase ?? ""}"`, ofPhase],
    ];
    const [over] = whole.filter(([, may]) => may !== undefined && limitMs > may);
    return over === undefined
      ? []
      : [
          finding(
            step,
            ["limitMs"],
            `one attempt may take ${durationText(limitMs)}, and ${over[0]} ${durationText(over[1] ?? 0)}: give that as much time, or the step less`,
          ),
        ];
  });
  const ofPhases = phases.flatMap((phase): LimitFinding[] =>
    phase.limitMs !== undefined && runMs !== undefined && phase.limitMs > runMs
      ? [
          finding(
            phase,
            ["limitMs"],
            `the phase may take ${durationText(phase.limitMs)}, and the whole run ${durationText(runMs)}: give the run as much time, or the phase less`,
          ),
        ]
      : [],
  );
  const endless = phases.flatMap((phase): LimitFinding[] =>
    phase.onTimeout !== undefined && phase.limitMs === undefined && phaseMs === undefined
      ? [
          finding(
            phase,
            ["onTimeout"],
            "says what follows when the phase has used up its time, and it has no limit: give it limitMs, or leave onTimeout out",
          ),
        ]
      : [],
  );
  return [...ofSteps, ...ofPhases, ...endless];
}

/** Steps that wait for each other take their times one after the other; phases do so too. */
function chainFindings({ steps, phases }: Flow, { time }: FlowLimits, sure: readonly Step[]): LimitFinding[] {
  const { runMs } = time;
  if (runMs === undefined) return [];
  const byName = new Map(steps.map((step) => [step.name, step]));
  const isSure = new Set(sure.map(({ name }) => name));
  const until = new Map<string, number>();
  for (const name of inOrder(steps)) {
    const step = byName.get(name);
    if (step === undefined) continue;
    let before = 0;
    for (const need of step.needs) before = Math.max(before, until.get(need) ?? 0);
    const own = step.limitMs ?? 0;
    until.set(name, before + (isSure.has(name) ? own : 0));
    if (isSure.has(name) && own > 0 && before > 0 && own <= runMs && before <= runMs && before + own > runMs)
      return [
        likely(
          step,
          ["limitMs"],
          `with the steps that it waits for it may take ${durationText(before + own)}, and the run ${durationText(runMs)}: if they take what they may, the time does not suffice`,
        ),
      ];
  }
  const used = new Set(sure.map(({ phase }) => phase));
  let sum = 0;
  for (const phase of phases) {
    if (!used.has(phase.name) || phase.limitMs === undefined) continue;
    sum += phase.limitMs;
    if (sum > runMs && phase.limitMs <= runMs)
      return [
        likely(
          phase,
          ["limitMs"],
          `up to this one the phases may take ${durationText(sum)}, and the run ${durationText(runMs)}: if they take what they may, the time does not suffice`,
        ),
      ];
  }
  return [];
}

const finding = (
  { name }: { readonly name: string },
  at: readonly PropertyKey[],
  problem: string,
): LimitFinding => ({ step: name, at, problem, sure: true });

const likely = (
  { name }: { readonly name: string },
  at: readonly PropertyKey[],
  problem: string,
): LimitFinding => ({ step: name, at, problem, sure: false });
