import path from "node:path";
import type { System } from "../../main.ts";
import type { Config } from "../../model/settings/config.ts";
import { Fault } from "../../model/fault.ts";
import type { AgentSpec, Flow } from "../../model/flow/flow.ts";
import { runSettingsSchema } from "../../model/settings/settings.ts";
import { withShippedPrices } from "../../model/settings/shipped-prices.ts";
import { allPolicies } from "../../model/flow/written-policies.ts";
import { type Admission, admitFlow, readFlow } from "../config/load-flow.ts";
import { findConfig, repositoryOf } from "../config/find-config.ts";
import { functionSpec, scriptPath } from "./typed-agent.ts";
import { goalFlow, neededGoal, withChecks, withGoal, withReviewer } from "./run-flow.ts";
import { findFlow } from "../config/find-flow.ts";
import type { ReadDocument } from "../config/read-document.ts";
import { chooseIsolation, rootOf } from "../ask/choose-isolation.ts";
import { gitAuthor } from "../config/git-author.ts";
import { VENDOR_KINDS } from "../../model/agent/kinds/registry.ts";
import { checkCountable } from "./countable-budget.ts";
import { budgetOf, runBudget, timeoutOf } from "./run-limits.ts";
import { didYouMean } from "../shell/nearest.ts";

type RunOrder = Parameters<System["createRun"]>[0];

/** What a person asked of `run`. */
export interface RunWish {
  readonly goal: string | undefined;
  readonly flow?: string;
  /** What the flow's file exports, where it is TypeScript. */
  readonly module?: ReadDocument;
  readonly agent?: string;
  /** The agent that turns the goal into steps. */
  readonly plan?: string;
  readonly id?: string;
  /** Commands that must pass, for every step that names none of its own. */
  readonly check?: readonly string[];
  readonly budget?: string;
  /** `time=2h` or `turns=40`: budgets that every agent, or most of them, can be held to. */
  readonly budgetBy?: readonly string[];
  /** How long it may work, as text. */
  readonly timeout?: string;
  /** False: when a provider's limit is over, a person is asked. */
  readonly resume?: boolean;
  /** In a worktree of its own, no matter what the configuration says. */
  readonly worktree?: boolean;
  /** In the folder itself, no matter what the configuration says. */
  readonly inPlace?: boolean;
  /** The agent that must accept the work of every step that names no reviewers of its own. */
  readonly reviewer?: string;
  /** What a person wants to approve, separated by commas. */
  readonly approve?: string;
  /** The file of the configuration, where it is not the one that is found. */
  readonly configFile?: string | null;
  /** Who asks for the run. */
  readonly by?: string;
  /** Called with what may well go wrong. */
  readonly warn?: (text: string) => void;
}

/** Agents that need no configuration; in a flow they are named like any other. */
const BUILT_IN: Readonly<Record<string, AgentSpec>> = {
  demo: { use: "demo", script: "hello" },
  ...Object.fromEntries(VENDOR_KINDS.map((use) => [use, { use }])),
  manual: { use: "manual" },
};

/** Every agent that a flow may name. */
export const agentsFor = (config: Config): Readonly<Record<string, AgentSpec>> => ({
  ...BUILT_IN,
  ...config.agents,
});

/** Everything needed to work a run, from the words of the command line, the configuration and the flow's file. */
export function runOrder(wish: RunWish, config: Config, cwd: string): RunOrder {
  const chosen = chosenAgent(wish, config, cwd);
  const planner = wish.plan === undefined ? undefined : namedAgent(wish.plan, config, cwd);
  if (planner !== undefined && wish.flow !== undefined)
    throw new Fault("usage", "--plan is for a goal alone; in a flow a step plans that has the key plans");
  const file = wish.flow === undefined ? undefined : findFlow(wish.flow, cwd);
  const binding = { agent: chosen.name, configured: Object.keys(config.agents) };
  const written = file === undefined ? undefined : readFlow(file, binding, wish.module);
  const asked =
    written === undefined
      ? goalFlow(wish.goal, chosen.name, planner?.name)
      : withGoal(written.flow, wish.goal);
  const checked = withChecks(asked, { commands: wish.check ?? [], cwd, warn: wish.warn });
  const flow = withReviewer(checked, wish.reviewer);
  const defaults = settingsOf(wish, config, cwd);
  const policies = allPolicies(defaults.policies, flow.name, written?.policies ?? []);
  const settings = { ...defaults, policies };
  const known = { ...agentsFor(config), ...chosen.agents, ...planner?.agents };
  const agents = agentsOf(flow, settings, known);
  const budget = { ...runBudget(config), ...budgetOf(wish) };
  if (file !== undefined && written !== undefined)
    admit(file, admitFlow({ flow, places: written.places }, known, { ...settings, budget }), wish.warn);
  const { prices } = settings;
  const { uncounted } = config.budget;
  checkCountable({ flow, agents, budget, prices, uncounted, warn: wish.warn });
  const repository = repositoryOf(cwd);
  return {
    goal: wish.goal ?? `the flow ${flow.name}`,
    flow,
    agents,
    settings,
    budget,
    cwd,
    ...(repository === null ? {} : { repository, tree: rootOf(cwd) ?? cwd }),
    by: wish.by ?? "cli",
    source: sourceOf(wish, config, cwd),
    ...(wish.id === undefined ? {} : { id: wish.id }),
  };
}

/** A flow that cannot end is not begun; of what is only likely its author is informed. */
function admit(file: string, { problems, warnings }: Admission, warn: RunWish["warn"]): void {
  if (problems.length > 0)
    throw new Fault("config_invalid", `${file} cannot run: ${problems.join("; ")}`, {
      details: { file, problems },
    });
  for (const warning of warnings) warn?.(`${file}: warning: ${warning}`);
}

/** Where it is written who works what, and which agents the configuration binds. */
function sourceOf(wish: RunWish, config: Config, cwd: string): NonNullable<RunOrder["source"]> {
  const file = wish.configFile === undefined ? findConfig(cwd) : wish.configFile;
  return {
    ...(file === null ? {} : { config: file }),
    agents: Object.keys(config.agents),
    ...(wish.flow === undefined ? {} : { flow: findFlow(wish.flow, cwd) }),
    ...(wish.agent === undefined ? {} : { agent: wish.agent }),
  };
}

/** What agents and git execute is protected, and a repository's files are kept, unless somebody says otherwise. */
function settingsOf(wish: RunWish, config: Config, cwd: string): RunOrder["settings"] {
  const settings = runSettingsSchema.strip().parse(config);
  const { checkpoints, drift, protected: guarded, notify } = settings;
  const unknown = notify.external.find((channel) => !Object.hasOwn(notify.channels, channel));
  if (unknown !== undefined)
    throw new Fault(
      "config_invalid",
      `notify.external names "${unknown}", which is no channel; expected one of ${Object.keys(notify.channels).join(", ") || "notify.channels, which has none"}`,
    );
  const auto = repositoryOf(cwd) === null ? "never" : "always";
  const when = checkpoints.when === "auto" ? auto : checkpoints.when;
  return {
    ...settings,
    time: { ...settings.time, ...timeoutOf(wish.timeout) },
    cooldown: { ...settings.cooldown, resume: settings.cooldown.resume && wish.resume !== false },
    approve: approveOf(wish.approve, settings.approve),
    checkpoints: { ...checkpoints, when },
    drift: { ...drift, when: drift.when === "auto" ? auto : drift.when },
    commit: { ...settings.commit, ...authorOf(settings.commit.author, cwd) },
    workspace: workspaceOf(wish, settings.workspace, { cwd, auto }),
    protected: { ...guarded, usual: guarded.usual ?? true },
    prices: withShippedPrices(settings.prices),
  };
}

function approveOf(
  text: string | undefined,
  configured: RunOrder["settings"]["approve"],
): RunOrder["settings"]["approve"] {
  const approve = { ...configured };
  for (const word of text?.split(",").map((part) => part.trim()) ?? [])
    if (word === "plan" || word === "completion") approve[word] = true;
    else
      throw new Fault(
        "usage",
        `--approve "${text ?? ""}" names "${word}"; expected plan, completion or plan,completion`,
      );
  return approve;
}

function authorOf(author: string | undefined, cwd: string): { readonly author?: string } {
  const name = author ?? gitAuthor(cwd, process.env);
  return name === undefined ? {} : { author: name };
}

interface Where {
  readonly cwd: string;
  /** What `auto` means there. */
  readonly auto: "always" | "never";
}

/** What is carried into a worktree is recorded with the run: one of a former version carries nothing. */
function workspaceOf(
  { worktree, inPlace, warn }: RunWish,
  workspace: RunOrder["settings"]["workspace"],
  { cwd, auto }: Where,
): RunOrder["settings"]["workspace"] {
  const isolation = chooseIsolation({ cwd, configured: workspace.isolation, worktree, inPlace, warn });
  const lock = workspace.lock === "auto" ? auto : workspace.lock;
  const folder = workspace.folder === undefined ? {} : { folder: path.resolve(cwd, workspace.folder) };
  const carried = isolation === "none" ? {} : { uncommitted: workspace.uncommitted ?? ("carry" as const) };
  return { ...workspace, isolation, lock, ...folder, ...carried };
}

/**
 * A run records the agents it may use, and no others; one of a step that is missing is reported by name when it is
 * created.
 */
function agentsOf(
  flow: Flow,
  { ladder, triage, roles: given }: RunOrder["settings"],
  known: Readonly<Record<string, AgentSpec>>,
): Record<string, AgentSpec> {
  const named = {
    "ladder.nextAgent": ladder.nextAgent,
    "ladder.helper": ladder.helper,
    "roles.expert": given.expert,
    "triage.agent": triage.agent,
  };
  for (const [key, name] of Object.entries(named))
    if (name !== undefined && !Object.hasOwn(known, name))
      throw new Fault(
        "config_invalid",
        `${key} is "${name}", which is no agent; expected one of ${Object.keys(known).join(", ")}`,
      );
  const asked = triage.agent === undefined ? undefined : known[triage.agent];
  if (asked?.use === "manual" || asked?.use === "tmux")
    throw new Fault(
      "config_invalid",
      `triage.agent is "${triage.agent ?? ""}", whose driver "${asked.use}" gives no answer by itself; expected an agent of another driver`,
    );
  const steps = flow.steps.flatMap(({ agent, nextAgent, plans, reviewers }) => [
    agent,
    nextAgent,
    ...(reviewers ?? []),
    ...(plans?.reviewers ?? []),
    ...(plans?.agents ?? []),
  ]);
  const isPlanned = flow.steps.some(({ plans }) => plans !== undefined);
  const roles = isPlanned ? Object.values(flow.roles ?? {}).map(({ agent }) => agent) : [];
  const names = [...steps, ...roles, flow.roles?.["expert"]?.agent, ...Object.values(named)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const spec = name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
      return name === undefined || spec === undefined ? [] : [[name, spec]];
    }),
  );
}

interface ChosenAgent {
  readonly name: string | undefined;
  readonly agents: Readonly<Record<string, AgentSpec>>;
}

function chosenAgent(wish: RunWish, config: Config, cwd: string): ChosenAgent {
  if (wish.agent !== undefined) return namedAgent(wish.agent, config, cwd);
  if (wish.flow !== undefined || wish.plan !== undefined) return { name: undefined, agents: {} };
  const [only, ...others] = Object.keys(config.agents);
  if (only !== undefined && others.length === 0) return { name: only, agents: {} };
  neededGoal(wish.goal);
  throw new Fault("usage", `which agent shall work? Expected --agent with one of ${known(config)}`);
}

/** The agent of that name, with what it needs to be started. */
export function agentNamed(
  text: string,
  config: Config,
  cwd: string,
): { readonly to: string; readonly spec: AgentSpec } {
  const { name = text, agents } = namedAgent(text, config, cwd);
  const spec = { ...BUILT_IN, ...config.agents, ...agents }[name];
  if (spec === undefined) throw new Fault("usage", `there is no agent "${text}"`);
  return { to: name, spec };
}

function namedAgent(text: string, config: Config, cwd: string): ChosenAgent {
  if (Object.hasOwn(config.agents, text) || Object.hasOwn(BUILT_IN, text)) return { name: text, agents: {} };
  const [, kind, rest] = /^(demo|function):(.+)$/s.exec(text) ?? [];
  if (kind === "demo" && rest !== undefined)
    return { name: "demo", agents: { demo: { use: "demo", script: scriptPath(rest, cwd) } } };
  if (kind === "function" && rest !== undefined)
    return { name: "function", agents: { function: functionSpec(rest, cwd) } };
  const names = [...Object.keys(config.agents), ...Object.keys(BUILT_IN)];
  throw new Fault(
    "usage",
    `there is no agent "${text}"${didYouMean(text, names)} Expected one of ${known(config)}`,
    { details: { agent: text, known: names } },
  );
}

const known = (config: Config): string =>
  [...Object.keys(config.agents), ...Object.keys(BUILT_IN), "demo:SCRIPT", "function:PATH[#EXPORT]"].join(
    ", ",
  );
