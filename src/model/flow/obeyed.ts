import { AGENTS, OBEYED_BY_AGENTS } from "../agent/kinds/registry.ts";
import type { Config } from "../settings/config.ts";
import { executedByShell, executedByWords } from "../text/executed-words.ts";
import type { AgentSpec, Flow } from "./flow.ts";
import type { RunSettings } from "../settings/settings.ts";

/**
 * What a repository's files would have Holdfast, or an agent, execute or obey. Nothing of it is obeyed before a person
 * has trusted it, byte for byte.
 */
export interface Obeyed {
  /** Where it is named, such as `agents.dev` or `flow release.yaml: build.checks`. */
  readonly key: string;
  readonly what: "agent" | "hook" | "check" | "gate" | "command" | "rule" | "file";
  /** What is obeyed, as it is shown and as it is compared. */
  readonly text: string;
  /** Words that name what is executed; those that are files of the repository are obeyed too. */
  readonly programs?: readonly string[];
  /** A module, which is executed with what it imports. */
  readonly module?: string;
}

const unslashed = (path: string): string => path.replace(/\/$/, "");

/** Configuration that agents read in the folder they work in, and whose programs, hooks and servers they start. */
export const AGENT_CONFIG: readonly string[] = [
  ...OBEYED_BY_AGENTS.flatMap(({ settings }) => settings.map(unslashed)),
  ".envrc",
  ".vscode",
];

/** What agents write there themselves while they work. */
export const AGENT_CONFIG_EXCEPT: readonly string[] = OBEYED_BY_AGENTS.flatMap(({ ownWrites }) =>
  ownWrites.map(unslashed),
);

/** Whether an agent obeys configuration that lies in the folder it works in. */
export const readsAgentConfig = ({ use }: AgentSpec): boolean => AGENTS[use].is !== "inside";

/** What names no program and gives no right. */
const HARMLESS: readonly (keyof AgentSpec)[] = ["model", "account", "prompt"];

/** An agent that is more than one of the known kinds by its name; null where nothing of it is executed or allowed. */
export function obeyedAgent(name: string, spec: AgentSpec): Obeyed | null {
  const { use, ...rest } = spec;
  for (const harmless of HARMLESS) Reflect.deleteProperty(rest, harmless);
  if (rest.permissions === "ask" || rest.permissions === "deny") delete rest.permissions;
  if (rest.sandbox !== "none") delete rest.sandbox;
  if (rest.network === "none") delete rest.network;
  if (rest.script !== undefined && !/[/\\.]/.test(rest.script)) delete rest.script;
  if (Object.keys(rest).length === 0) return null;
  const programs = [
    ...executedByWords([...(rest.command ?? []), ...(rest.args ?? [])]),
    ...(rest.script === undefined ? [] : [rest.script]),
  ];
  return {
    key: `agents.${name}`,
    what: "agent",
    text: jsonOf({ use, ...rest }),
    programs,
    ...(rest.module === undefined ? {} : { module: rest.module }),
  };
}

type Obeying = Pick<RunSettings, "hooks" | "reality" | "workspace" | "plan" | "protected">;

/** What settings of a run have executed, or no longer asked about. */
export function obeyedSettings({ hooks, reality, workspace, plan, protected: guarded }: Obeying): Obeyed[] {
  const commands = (["setup", "run", "teardown"] as const).flatMap((name): Obeyed[] => {
    const text = workspace[name];
    return text === undefined
      ? []
      : [{ key: `workspace.${name}`, what: "command", text, programs: executedByShell(text) }];
  });
  const rules = [
    ...(plan.commands === undefined || plan.commands.length === 0
      ? []
      : [{ key: "plan.commands", text: plan.commands.join("\n") }]),
    ...(guarded.usual === false ? [{ key: "protected.usual", text: "false: nothing is protected" }] : []),
    ...guarded.paths
      .filter((path) => path.startsWith("!"))
      .map((path) => ({ key: `protected.paths ${path}`, text: `${path} is not protected` })),
    ...(workspace.folder === undefined ? [] : [{ key: "workspace.folder", text: workspace.folder }]),
  ];
  return [
    ...hooks.map((hook): Obeyed => ({
      key: `hooks.${hook.name}`,
      what: "hook",
      text: jsonOf(hook),
      programs: hook.run === undefined ? [] : executedByShell(hook.run),
    })),
    ...obeyedChecks("reality.checks", reality.checks),
    ...commands,
    ...rules.map((rule): Obeyed => ({ ...rule, what: "rule" })),
  ];
}

/** What a flow's file has executed: checks of its steps, checks and actions of its gates. */
export function obeyedFlow(file: string, { steps, phases }: Flow, own: readonly string[]): Obeyed[] {
  const runs = (checks: readonly { readonly run: string }[] | undefined): string[] =>
    (checks ?? []).map(({ run }) => run).filter((run) => run !== "{check}" && !own.includes(run));
  const ofSteps = steps.flatMap(({ name, checks, plans }) =>
    obeyedChecks(`flow ${file}: ${name}.checks`, [...runs(checks), ...runs(plans?.checks)]),
  );
  const ofGates = phases.flatMap(({ name, gate }): Obeyed[] => [
    ...obeyedChecks(`flow ${file}: ${name}.gate.checks`, runs(gate?.checks)),
    ...(gate?.action === undefined
      ? []
      : [
          {
            key: `flow ${file}: ${name}.gate.action`,
            what: "gate",
            text: gate.action.run,
            programs: executedByShell(gate.action.run),
          } as const,
        ]),
  ]);
  return [...ofSteps, ...ofGates];
}

export const obeyedChecks = (key: string, runs: readonly string[]): Obeyed[] =>
  runs.length === 0
    ? []
    : [
        {
          key,
          what: "check",
          text: runs.join("\n"),
          programs: runs.flatMap((run) => executedByShell(run)),
        },
      ];

/** Everything that a repository's configuration may have obeyed, whichever of its agents works. */
export const obeyedConfig = (config: Config): Obeyed[] => [
  ...Object.entries(config.agents).flatMap(([name, spec]) => obeyedAgent(name, spec) ?? []),
  ...obeyedSettings(config),
];

/** Keys in one order, so that what means the same is the same. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    2,
  );
