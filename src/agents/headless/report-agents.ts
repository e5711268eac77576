import { execFile } from "node:child_process";
import { findProgram } from "../find-program.ts";
import type { HeadlessAgent } from "./headless-agent.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import type { AgentCapabilities } from "../../model/agent/kinds/agent-traits.ts";
import { AGENT_KINDS, type AgentKind, AGENTS } from "../../model/agent/kinds/registry.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";

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

/** An agent as somebody has configured it. */
export interface ConfiguredReport {
  readonly name: string;
  readonly kind: AgentKind;
  readonly state: "ready" | "missing";
  /** What is started; null where nothing is, or where it is not here. */
  readonly program: string | null;
  readonly remedy: string | null;
}

type Configured = Readonly<Record<string, AgentSpec>>;

/** Every agent by the program that its configuration names, which is looked for and not started. */
export const reportConfigured = (
  agents: readonly HeadlessAgent[],
  configured: Configured,
): readonly ConfiguredReport[] =>
  Object.entries(configured).map(([name, { use: kind, command, env }]) => {
    const known = agents.find(({ use }) => use === kind);
    const wanted = command?.[0] ?? known?.program;
    if (wanted === undefined) return { name, kind, state: "ready", program: null, remedy: null };
    const program = findProgram(wanted, env?.["PATH"] ?? process.env["PATH"], process.cwd()) ?? null;
    if (program !== null) return { name, kind, state: "ready", program, remedy: null };
    const get = command === undefined && known !== undefined ? `; get it by \`${known.install}\`` : "";
    const remedy = `the program "${wanted}" was not found on PATH${get}`;
    return { name, kind, state: "missing", program, remedy };
  });

/**
 * All kinds, in their default order; the programs are asked for their versions side by side. A kind whose own program
 * is not on PATH is ready all the same where a configured agent names another that is here.
 */
export const reportAgents = (
  agents: readonly HeadlessAgent[],
  driven: ReadonlySet<AgentKind>,
  configured: Configured = {},
): Promise<readonly AgentReport[]> =>
  Promise.all(
    AGENT_KINDS.map(async (kind) => {
      const agent = agents.find(({ use }) => use === kind);
      const report = agent === undefined ? plainReport(kind, driven) : await headlessReport(agent);
      if (agent === undefined || report.state !== "missing") return report;
      const named = reportConfigured(agents, configured).find(
        (one) => one.kind === kind && one.program !== null,
      );
      return named === undefined
        ? report
        : { ...report, state: "ready" as const, program: named.program, remedy: null };
    }),
  );

const blank = (kind: AgentKind): AgentReport => ({
  kind,
  state: "ready",
  program: null,
  version: null,
  known: null,
  knownVersions: [],
  capabilities: AGENTS[kind].capabilities,
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

/** Whether a program is here, and which version. */
interface ProgramSurvey {
  readonly path: string | null;
  readonly version: string | null;
}

/** However slow the machine is: a program that does not show its version by then is of an unknown one. */
const VERSION_LIMIT_MS = 20_000;
const VERSION = /\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,40}/;

async function surveyProgram(agent: HeadlessAgent): Promise<ProgramSurvey> {
  const file = findProgram(agent.program, process.env["PATH"], process.cwd());
  if (file === undefined) return { path: null, version: null };
  return { path: file, version: await versionOf(file, agent) };
}

function versionOf(file: string, { env }: HeadlessAgent): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      ["--version"],
      {
        timeout: VERSION_LIMIT_MS,
        killSignal: "SIGKILL",
        env: { ...inheritedEnvironment(process.env, {}), ...env },
      },
      (_error, stdout) => resolve(VERSION.exec(stdout)?.[0] ?? null),
    );
    // Some wait for it to be closed.
    child.stdin?.end();
  });
}
