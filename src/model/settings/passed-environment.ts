import { AGENTS } from "../agent/kinds/registry.ts";
import { BASIC_VARIABLES, PASSED_VARIABLES } from "./environment-lists.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import type { AgentSpec } from "../flow/flow.ts";
import { isSecretName } from "../text/redact.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export const fits = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/** A list of ours names many variables at once; a secret among them is none that programs commonly need. */
export const isListed = (name: string): boolean =>
  fits(name, PASSED_VARIABLES) && (PASSED_VARIABLES.includes(name) || !isSecretName(name));

/**
 * Whether an agent gets a variable.
 *
 * 1. With a list under `inherit` it gets that list, what hardly any program does without, and what is passed by name.
 * 2. With `inherit: all`, its own or the host's, it gets everything.
 * 3. Otherwise what programs commonly need, and what the agent itself reads: its keys and the address of its provider.
 */
export function isForAgent(
  name: string,
  spec: Pick<AgentSpec, "use" | "inherit" | "pass">,
  { inherit, pass, own }: EnvironmentSettings & { readonly own: Environment },
): boolean {
  if (fits(name, spec.pass ?? [])) return true;
  if (Array.isArray(spec.inherit)) return fits(name, [...BASIC_VARIABLES, ...spec.inherit]);
  if (spec.inherit === "all" || inherit === "all" || fits(name, pass)) return true;
  const { names, clouds = {} } = AGENTS[spec.use].variables;
  const ofClouds = Object.entries(clouds).flatMap(([chosen, keys]) => (isOn(own[chosen]) ? keys : []));
  return isListed(name) || fits(name, [...names, ...ofClouds]);
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
