import {
  AGENT_KINDS,
  CAPABILITIES,
  type AgentCapabilities,
  type AgentKind,
} from "../../model/agent-kinds.ts";
import { findProgram } from "../find-program.ts";
import type { HeadlessAgent } from "./headless-agent.ts";
import { surveyProgram } from "./survey-program.ts";

/** What can be said of one kind of agent on this machine. */
export interface AgentReport {
  readonly kind: AgentKind;
  /** `missing`: its program is not here. `unsupported`: this version of Holdfast cannot drive it. */
  readonly state: "ready" | "missing" | "unsupported";
  readonly program: string | null;
  readonly version: string | null;
  /** Whether what this version prints was recorded and is tested against; null where there is nothing to know. */
  readonly known: boolean | null;
  readonly knownVersions: readonly string[];
  readonly capabilities: AgentCapabilities;
  /** What to do about what is missing or uncertain. */
  readonly remedy: string | null;
}

/** All kinds, in their usual order; the programs are asked for their versions side by side. */
export const reportAgents = (
  agents: readonly HeadlessAgent[],
  driven: ReadonlySet<AgentKind>,
): Promise<readonly AgentReport[]> =>
  Promise.all(
    AGENT_KINDS.map((kind) => {
      const agent = agents.find(({ use }) => use === kind);
      return agent === undefined ? Promise.resolve(plainReport(kind, driven)) : headlessReport(agent);
    }),
  );

const blank = (kind: AgentKind): AgentReport => ({
  kind,
  state: "ready",
  program: null,
  version: null,
  known: null,
  knownVersions: [],
  capabilities: CAPABILITIES[kind],
  remedy: null,
});

function plainReport(kind: AgentKind, driven: ReadonlySet<AgentKind>): AgentReport {
  const report = blank(kind);
  if (!driven.has(kind))
    return { ...report, state: "unsupported", remedy: "this version of Holdfast has no driver for it" };
  if (kind !== "tmux") return report;
  const program = findProgram("tmux", process.env["PATH"], process.cwd()) ?? null;
  return program === null
    ? { ...report, state: "missing", remedy: "install tmux with the system's packages" }
    : { ...report, program };
}

async function headlessReport(agent: HeadlessAgent): Promise<AgentReport> {
  const { path: program, version } = await surveyProgram(agent);
  const report = { ...blank(agent.use), program, version, knownVersions: agent.knownVersions };
  if (program === null)
    return { ...report, state: "missing", remedy: `get ${agent.title} by \`${agent.install}\`` };
  const known = version !== null && agent.knownVersions.includes(version);
  return { ...report, known, remedy: known ? null : uncertain(agent, version) };
}

const uncertain = ({ title, knownVersions }: HeadlessAgent, version: string | null): string =>
  `what ${title} ${version ?? "of an unnamed version"} prints was not tested against; ${knownVersions.join(", ")} was. It is run all the same`;
