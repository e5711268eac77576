import type { SystemOptions } from "../../main.ts";
import type { Bindings, RunSource } from "../../model/flow/bindings.ts";
import { configSchema } from "../../model/settings/config.ts";
import { Fault } from "../../model/fault.ts";
import { isCode } from "../config/find-config.ts";
import { readConfig } from "../config/load-config.ts";
import { readFlow } from "../config/load-flow.ts";
import { agentsFor } from "./run-order.ts";
import { untrustedBinding } from "../trust/dispatch-trust.ts";

/** Modules are code, and read once only: of these nothing is known later. */
const isData = (file: string | undefined): file is string => file !== undefined && !isCode(file);

/** What the files say now from which a run learned who is to work it; a person trusts it, or not. */
export async function bindingsNow(source: RunSource): Promise<Bindings> {
  const { config: file, agents: bound, flow, agent } = source;
  const config = isData(file) ? await readConfig(file) : configSchema.parse({});
  const written = isData(flow)
    ? readFlow(flow, { agent, configured: Object.keys(config.agents) }).flow.steps
    : [];
  const steps = written.map((step) => [step.name, { agent: step.agent, authority: step.authority }] as const);
  const names = new Set([...bound, ...written.map((step) => step.agent)]);
  const agents = Object.entries(agentsFor(config)).filter(([name]) => names.has(name));
  return { agents: Object.fromEntries(agents), steps: Object.fromEntries(steps) };
}

/** The same, where all of it is trusted. */
export const readBindings =
  (stateFolder: string): NonNullable<SystemOptions["bindings"]> =>
  async (source) => {
    const now = await bindingsNow(source);
    const distrusted = untrustedBinding(stateFolder, source, now.agents);
    if (distrusted !== null) throw new Fault("untrusted", distrusted);
    return now;
  };
