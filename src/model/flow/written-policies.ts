import type { Policy } from "./policy.ts";

export interface PlacedProblem {
  /** Where in the written flow. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What rules of a flow may name. */
interface Named {
  readonly steps: readonly { readonly name: string; readonly plans?: unknown }[];
  readonly phases: readonly { readonly name: string }[];
  readonly roles?: Readonly<Record<string, unknown>> | undefined;
}

/** Rules of a flow are about that flow: what they name must be there, or they would never be looked at. */
export function policyProblems(
  policies: readonly Policy[],
  { steps, phases, roles }: Named,
): PlacedProblem[] {
  // Steps that are still to be planned have names that nobody knows yet.
  const mayGrow = steps.some(({ plans }) => plans !== undefined);
  const names = {
    step: steps.map(({ name }) => name),
    phase: phases.map(({ name }) => name),
    role: Object.keys(roles ?? {}),
  };
  const known = { step: new Set(names.step), phase: new Set(names.phase), role: new Set(names.role) };
  const seen = new Set<string>();
  return policies.flatMap((policy, index): PlacedProblem[] => {
    const problems: PlacedProblem[] = [];
    const say = (path: readonly PropertyKey[], message: string): void => {
      problems.push({ path: ["policies", index, ...path], message });
    };
    if (seen.has(policy.name))
      say(["name"], "another policy of the flow has that name; expected one of its own");
    seen.add(policy.name);
    const look = (of: keyof typeof known, name: string | undefined, path: readonly PropertyKey[]): void => {
      if (name === undefined || known[of].has(name) || (of === "step" && mayGrow)) return;
      say(
        path,
        `expected one of the flow's ${of}s: ${names[of].slice(0, NAMED_MAX).join(", ") || "there are none"}`,
      );
    };
    look("step", policy.step, ["step"]);
    look("phase", policy.phase, ["phase"]);
    look("role", policy.role, ["role"]);
    look("step", policy.requires?.step, ["requires", "step"]);
    return problems;
  });
}

const NAMED_MAX = 20;

/**
 * The rules of the configuration and of a flow together: all of them hold, and of two that say the same thing the
 * stricter is met first. A name that both use stays the configuration's.
 */
export function allPolicies(configured: readonly Policy[], flow: string, own: readonly Policy[]): Policy[] {
  const taken = new Set(configured.map(({ name }) => name));
  return [
    ...configured,
    ...own.map((policy) =>
      taken.has(policy.name) ? { ...policy, name: besideName(flow, policy.name, taken) } : policy,
    ),
  ];
}

function besideName(flow: string, name: string, taken: ReadonlySet<string>): string {
  let found = `${flow.slice(0, 50)}/${name.slice(0, 60)}`;
  for (let nth = 2; taken.has(found); nth += 1)
    found = `${flow.slice(0, 50)}/${name.slice(0, 60)}.${String(nth)}`;
  return found;
}
