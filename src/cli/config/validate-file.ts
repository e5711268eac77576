import path from "node:path";
import { configSchema, type Config } from "../../model/settings/config.ts";
import { isFault, type Fault } from "../../model/fault.ts";
import { writtenFlowSchema } from "../../model/flow/flow-file.ts";
import { hostKeysIn } from "../../model/settings/host-config.ts";
import { allPolicies } from "../../model/flow/written-policies.ts";
import { agentsFor } from "../run/run-order.ts";
import { type Admission, admitFlow, readFlow } from "./load-flow.ts";
import { importFlow } from "./find-flow.ts";
import { isCode } from "./find-config.ts";
import { hostKeysText, loadHostConfig, readConfig } from "./load-config.ts";
import { readDocument, type ReadDocument } from "./read-document.ts";

export interface Validated extends Admission {
  readonly kind: "flow" | "configuration";
  /** What it holds, in a few words. */
  readonly holds: string;
}

interface Beside {
  readonly agent: string | undefined;
  /** The configuration of the folder, for the agents that a flow names. */
  readonly config: () => Promise<Config>;
  /** The folder of the user's own configuration. */
  readonly hostFolder?: string;
}

/** Everything that is wrong with a flow or a configuration; nothing is run. */
export async function validateFile(file: string, beside: Beside): Promise<Validated> {
  const module = isCode(file) ? await importFlow(file, GOAL) : undefined;
  const { value } = module ?? readDocument(file, "the file");
  const isFlow = isFlowLike(value);
  try {
    if (isFlow) return await validateFlow(file, beside, module);
    if (path.dirname(file) === beside.hostFolder) return validatedHost(path.dirname(file));
    const ignored = hostKeysIn(value);
    const warnings = ignored.length === 0 ? [] : [hostKeysText(ignored, beside.hostFolder ?? "")];
    return { ...validated(await readConfig(file)), warnings };
  } catch (error) {
    if (!isFault(error, "config_invalid")) throw error;
    return {
      kind: isFlow ? "flow" : "configuration",
      holds: "",
      problems: problemsOf(error, file),
      warnings: [],
    };
  }
}

/** What a flow that is made for a goal is tried with. */
const GOAL = "a goal";

/** By its steps, or where they were forgotten by a key that only flows have. */
const isFlowLike = (value: unknown): boolean =>
  typeof value === "object" && value !== null && FLOW_KEYS.some((key) => Object.hasOwn(value, key));

const FLOW_KEYS = Object.keys(writtenFlowSchema.shape).filter(
  (key) => !Object.hasOwn(configSchema.shape, key),
);

/** The user's own file, which holds settings of the host alone. */
function validatedHost(folder: string): Validated {
  loadHostConfig(folder);
  return { kind: "configuration", holds: "settings of this host", problems: [], warnings: [] };
}

const validated = ({ agents }: Config): Validated => ({
  kind: "configuration",
  holds: `agents ${Object.keys(agents).join(", ") || "none"}`,
  problems: [],
  warnings: [],
});

async function validateFlow(
  file: string,
  { agent, config }: Beside,
  module: ReadDocument | undefined,
): Promise<Validated> {
  const known = await config();
  const written = readFlow(file, { agent, configured: Object.keys(known.agents) }, module);
  const { flow, policies } = written;
  const limits = { ...known, policies: allPolicies(known.policies, flow.name, policies) };
  return {
    kind: "flow",
    holds: `${count(flow.steps.length, "step")}${flow.phases.length === 0 ? "" : ` in ${count(flow.phases.length, "phase")}`}`,
    ...admitFlow(written, agentsFor(known), limits),
  };
}

const count = (n: number, what: string): string => `${String(n)} ${what}${n === 1 ? "" : "s"}`;

/** One by one where they are known so; without the file, which is reported before each. */
function problemsOf(error: Fault, file: string): readonly string[] {
  const { problems } = error.details as { readonly problems?: readonly string[] };
  return (
    problems ?? [error.message.startsWith(`${file} `) ? error.message.slice(file.length + 1) : error.message]
  );
}
