import { inOrder, notBuilt } from "./flow-order.ts";
import type { Flow } from "./flow.ts";
import type { Gate } from "./gate.ts";

export interface FlowProblem {
  /** The step it concerns; of a phase, its name. */
  readonly step: string;
  readonly problem: string;
  /** Where in it; absent: the whole of it. */
  readonly at?: readonly PropertyKey[];
}

/** Ways into a state that nobody could leave, in a flow whose names and needs are right. Costs steps and edges. */
export const deadEnds = (flow: Flow): FlowProblem[] => [
  ...phaseProblems(flow),
  ...authorityProblems(flow),
  ...outputProblems(flow),
  ...gateProblems(flow),
];

/** Phases come one after the other: what waits for a later one waits for itself. */
function phaseProblems({ steps, phases }: Flow): FlowProblem[] {
  const order = new Map<string, number>();
  const problems: FlowProblem[] = [];
  for (const [index, { name }] of phases.entries()) {
    if (order.has(name)) problems.push({ step: name, problem: `the phase "${name}" is declared twice` });
    order.set(name, index);
  }
  const phaseOf = new Map(steps.map(({ name, phase }) => [name, phase]));
  const known = [...order.keys()];
  for (const { name, phase, needs } of steps) {
    if (phase === undefined) continue;
    const own = order.get(phase);
    if (own === undefined) {
      const there = known.length === 0 ? "the flow declares none" : `those there are: ${known.join(", ")}`;
      problems.push({ step: name, problem: `its phase "${phase}" is not declared; ${there}` });
      continue;
    }
    for (const need of needs) {
      const other = phaseOf.get(need);
      if (other !== undefined && (order.get(other) ?? -1) > own)
        problems.push({
          step: name,
          problem: `it needs "${need}" of the later phase "${other}", which begins only when "${phase}" is over`,
        });
    }
  }
  const used = new Set(steps.map(({ phase }) => phase));
  for (const { name, gate } of phases)
    if (gate !== undefined && !used.has(name))
      problems.push({
        step: name,
        problem: `the phase "${name}" has the gate "${gate.name}" and no step: nothing could ever open it`,
      });
  return problems;
}

/** Somebody must be allowed to write what others review, and a reviewer has nothing to deliver. */
function authorityProblems({ steps }: Flow): FlowProblem[] {
  const reviewers = steps.filter(({ authority }) => authority === "reviews");
  const problems = reviewers.flatMap(({ name, outputs }): FlowProblem[] => {
    const [output] = outputs ?? [];
    if (output === undefined) return [];
    const problem = `it is to deliver "${output.path}" and only reviews: give it the authority to write, or the output to a step that has it`;
    return [{ step: name, problem }];
  });
  const [first] = reviewers;
  if (first !== undefined && reviewers.length === steps.length)
    problems.push({
      step: first.name,
      problem: "every step only reviews: no step of the flow may write what there would be to review",
    });
  return problems;
}

/**
 * Of two steps that deliver one file, one must build on the other: otherwise chance decides whose it is. Those that
 * deliver the same are taken in an order in which each comes after its needs: then it is enough that each builds on the
 * one before.
 */
function outputProblems({ steps }: Flow): FlowProblem[] {
  const makers = new Map<string, string[]>();
  const byName = new Map(steps.map((step) => [step.name, step]));
  const order = inOrder(steps).flatMap((name) => byName.get(name) ?? []);
  for (const { name, outputs } of order)
    for (const { path } of outputs ?? []) {
      const before = makers.get(path);
      if (before === undefined) makers.set(path, [name]);
      else before.push(name);
    }
  const pairs = [...makers].flatMap(([path, sharing]) =>
    sharing.slice(1).map((later, index) => ({ path, later, earlier: sharing[index] ?? "" })),
  );
  return notBuilt(order, pairs).map(({ path, later, earlier }) => ({
    step: later,
    problem: `it delivers "${path}", and so does "${earlier}": let one of them need the other`,
  }));
}

interface GateProblem {
  readonly step: string;
  readonly problem: string;
}

/** Gates that nobody could pass as they are meant, or that contradict themselves. */
function gateProblems({ steps, phases }: Flow): GateProblem[] {
  const names = new Set(steps.map(({ name }) => name));
  const proved = new Set(steps.filter(({ checks }) => checks.length > 0).map(({ phase }) => phase));
  const seen = new Set<string>();
  return phases.flatMap(({ name, gate }) => {
    if (gate === undefined) return [];
    const isSecond = seen.has(gate.name);
    seen.add(gate.name);
    const problems = [
      ...(isSecond ? [`the gate's name "${gate.name}" is used by two phases`] : []),
      ...contradictions(gate),
      ...(gate.kind === "evidence" && (gate.checks ?? []).length === 0 && !proved.has(name)
        ? [`the gate "${gate.name}" asks for evidence, and neither it nor a step of the phase has a check`]
        : []),
      ...(gate.rework ?? [])
        .filter((step) => !names.has(step))
        .map((step) => `the gate "${gate.name}" sends back to "${step}", which is no step`),
    ];
    return problems.map((problem) => ({ step: name, problem }));
  });
}

function contradictions({ name, kind, auto, credentialed, approvers, expiry }: Gate): string[] {
  const forApproval = Object.entries({ auto, credentialed, approvers, expiry })
    .filter(([, value]) => value !== undefined)
    .map(([key]) => key);
  return [
    ...(auto !== undefined && auto !== false && credentialed === true
      ? [`the gate "${name}" is credentialed and never opens by itself: leave out auto, or credentialed`]
      : []),
    ...(expiry?.then === "go_on" && credentialed === true
      ? [`the gate "${name}" is credentialed: its expiry cannot go_on; expected remind, escalate or cancel`]
      : []),
    ...(kind === "evidence" && forApproval.length > 0
      ? [`the gate "${name}" asks for evidence alone, and ${forApproval.join(", ")} is for approvals`]
      : []),
  ];
}
