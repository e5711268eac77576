import { tmpdir } from "node:os";
import { acpDriver } from "./agents/acp/acp-driver.ts";
import { claudeAgent } from "./agents/claude/claude-agent.ts";
import { codexAgent } from "./agents/codex/codex-agent.ts";
import { commandDriver } from "./agents/command/command-driver.ts";
import { demoDriver } from "./agents/demo/demo-driver.ts";
import type { FunctionAgent } from "./agents/function/function-agent.ts";
import { functionDriver } from "./agents/function/function-driver.ts";
import { geminiAgent } from "./agents/gemini/gemini-agent.ts";
import { headlessDriver } from "./agents/headless/headless-driver.ts";
import {
  reportAgents,
  reportConfigured,
  type AgentReport,
  type ConfiguredReport,
} from "./agents/headless/report-agents.ts";
import { withEnvironment } from "./agents/inherited-environment.ts";
import { withPriority } from "./agents/low-priority.ts";
import { manualDriver } from "./agents/manual/manual-driver.ts";
import { mcpServersOf } from "./agents/mcp-servers.ts";
import { opencodeAgent } from "./agents/opencode/opencode-agent.ts";
import { withSandbox } from "./agents/sandbox/with-sandbox.ts";
import { tmuxDriver } from "./agents/tmux/tmux-driver.ts";
import type { Config } from "./model/settings/config.ts";
import type { HostSettings } from "./model/settings/settings.ts";
import type { World } from "./model/world.ts";
import { sandboxGit } from "./sandbox-git.ts";
import { realWorld } from "./real-world.ts";
import type { Drivers } from "./runtime/ports.ts";

export const HEADLESS_AGENTS = [claudeAgent, codexAgent, opencodeAgent, geminiAgent];

interface DriverOptions {
  readonly functions?: ReadonlyMap<string, FunctionAgent>;
  readonly ownCommand?: readonly [string, ...string[]] | undefined;
  readonly store?: string;
  readonly settings?: HostSettings;
}

/** Every driver, with its sessions in one folder. */
export function driversOn(
  world: World,
  folder: string,
  { functions = new Map(), ownCommand, store, settings }: DriverOptions,
): Drivers {
  const mcpServers = mcpServersOf({ ownCommand, store, folder });
  const outputBytesMax = settings?.supervisor.outputBytesMax;
  const drivers: Drivers = new Map([
    ["function", functionDriver({ world, folder, functions, outputBytesMax })],
    ["demo", demoDriver({ world, folder, outputBytesMax })],
    ["acp", acpDriver({ world, folder, mcpServers, outputBytesMax })],
    ["command", commandDriver({ world, folder, outputBytesMax })],
    ["tmux", tmuxDriver({ world, folder })],
    ["manual", manualDriver({ world, folder })],
    ...HEADLESS_AGENTS.map(
      (agent) => [agent.use, headlessDriver(agent, { world, folder, mcpServers, outputBytesMax })] as const,
    ),
  ]);
  const prior = withPriority(drivers, settings?.supervisor.agentNice ?? 0);
  if (settings === undefined) return prior;
  const listed = withEnvironment(prior, settings.env);
  const git = sandboxGit(`${folder}-sandbox`, world);
  return withSandbox(listed, { ...settings.sandbox, sessions: folder, git, mcpServers });
}

/** What agents can work on this machine. Needs no store. */
export const surveyAgents = (configured: Config["agents"] = {}): Promise<readonly AgentReport[]> =>
  reportAgents(HEADLESS_AGENTS, new Set(driversOn(realWorld({}), tmpdir(), {}).keys()), configured);

/** Whether the programs of the configured agents are here. */
export const surveyConfigured = (configured: Config["agents"]): readonly ConfiguredReport[] =>
  reportConfigured(HEADLESS_AGENTS, configured);
