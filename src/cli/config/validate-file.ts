import type { Config } from "../../model/config.ts";
import { isFault, type Fault } from "../../model/fault.ts";
import type { Flow } from "../../model/flow.ts";
import { flowProblems } from "../../model/flow-problems.ts";
import { agentsFor } from "../run-order.ts";
import type { DocumentPlaces } from "./document-places.ts";
import { importFlow } from "./find-flow.ts";
import { readConfig } from "./load-config.ts";
import { readFlow } from "./load-flow.ts";
import { readDocument, type ReadDocument } from "./read-document.ts";

export interface Validated {
  readonly kind: "flow" | "configuration";
  /** What it holds, in a few words. */
  readonly holds: string;
  readonly problems: readonly string[];
}

interface Beside {
  readonly agent: string | undefined;
  /** The configuration of the folder, for the agents that a flow names. */
  readonly config: () => Promise<Config>;
}

/** Everything that is wrong with a flow or a configuration; nothing is run. */
export async function validateFile(file: string, beside: Beside): Promise<Validated> {
  const module = file.endsWith(".ts") ? await importFlow(file, GOAL) : undefined;
  const isFlow = saysSteps((module ?? readDocument(file, "the file")).value);
  try {
    return isFlow ? await validateFlow(file, beside, module) : validated(await readConfig(file));
  } catch (error) {
    if (!isFault(error, "config_invalid")) throw error;
    return { kind: isFlow ? "flow" : "configuration", holds: "", problems: problemsOf(error, file) };
  }
}

/** What a flow that is made for a goal is tried with. */
const GOAL = "a goal";

const saysSteps = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "steps");

const validated = ({ agents }: Config): Validated => ({
  kind: "configuration",
  holds: `agents ${Object.keys(agents).join(", ") || "none"}`,
  problems: [],
});

async function validateFlow(
  file: string,
  { agent, config }: Beside,
  module: ReadDocument | undefined,
): Promise<Validated> {
  const known = await config();
  const { flow, places } = readFlow(file, { agent, configured: Object.keys(known.agents) }, module);
  const problems = flowProblems(flow, agentsFor(known));
  return {
    kind: "flow",
    holds: `${count(flow.steps.length, "step")}${flow.phases.length === 0 ? "" : ` in ${count(flow.phases.length, "phase")}`}`,
    problems: problems.map(({ step, problem }) => `${placeOf(flow, places, step)}"${step}": ${problem}`),
  };
}

const count = (n: number, what: string): string => `${String(n)} ${what}${n === 1 ? "" : "s"}`;

/** Where the last step or phase of that name stands: of two of one name, it is the one too many. */
function placeOf({ steps, phases }: Flow, places: DocumentPlaces, name: string): string {
  const step = steps.findLastIndex((one) => one.name === name);
  const phase = phases.findLastIndex((one) => one.name === name);
  const place = step === -1 ? places.at(["phases", phase], "value") : places.at(["steps", step], "value");
  return place === undefined ? "" : `${place}: `;
}

/** One by one where they are known so; without the file, which is told before each. */
function problemsOf(error: Fault, file: string): readonly string[] {
  const { problems } = error.details as { readonly problems?: readonly string[] };
  return (
    problems ?? [error.message.startsWith(`${file} `) ? error.message.slice(file.length + 1) : error.message]
  );
}
