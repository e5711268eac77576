import type { Flow } from "./flow.ts";
import type { Gate } from "./gate.ts";

interface GateProblem {
  readonly step: string;
  readonly problem: string;
}

/** Gates that nobody could pass as they are meant, or that contradict themselves. */
export function gateProblems({ steps, phases }: Flow): GateProblem[] {
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
