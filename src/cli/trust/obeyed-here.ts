import { existsSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { errorText } from "../../model/fault.ts";
import type { Config } from "../../model/settings/config.ts";
import type { AgentSpec, Flow } from "../../model/flow/flow.ts";
import {
  obeyedAgent,
  obeyedConfig,
  obeyedFlow,
  obeyedSettings,
  readsAgentConfig,
  type Obeyed,
} from "../../model/flow/obeyed.ts";
import type { RunSettings } from "../../model/settings/settings.ts";
import { foldersUpToRoot, isCode } from "../config/find-config.ts";
import { readFlow } from "../config/load-flow.ts";
import { detectCheck } from "../run/detect-check.ts";
import { packageFolder } from "../shell/package-folder.ts";
import { agentConfigFiles, obeyedFile, programFiles, withImports, type Tree } from "./obeyed-files.ts";

const FILE_BYTES_MAX = 16 * 1_024 * 1_024;

/** The repository that a folder belongs to, as its trust is kept; the folder itself where it is in none. */
export function treeOf(cwd: string): Tree {
  const here = existsSync(cwd) ? realpathSync(cwd) : cwd;
  return { root: foldersUpToRoot(here).at(-1) ?? here, cwd: here };
}

/** What is obeyed, with the files that are executed by it, as they are now. */
export interface Obeying {
  readonly tree: Tree;
  readonly obeyed: readonly Obeyed[];
  /** Files that are read again when agents are started; they need not exist yet. */
  readonly programs: readonly string[];
  /** Files that checks execute; they are read again when the checks are run. */
  readonly checks: readonly string[];
}

/** What a run is to obey: its agents, its settings and its flow, as far as the repository's files name them. */
export interface RunParts {
  readonly config: Config;
  /** Where the configuration is code that was named, all that it says is the operator's own. */
  readonly isConfigOwn: boolean;
  readonly agents: Readonly<Record<string, AgentSpec>>;
  readonly settings: RunSettings;
  readonly flow?: { readonly file: string; readonly flow: Flow } | undefined;
  /** Of `--check`: the operator's own. */
  readonly checks: readonly string[];
}

export function obeyedByRun(cwd: string, parts: RunParts): Obeying {
  const { config, isConfigOwn, agents, settings, flow, checks } = parts;
  const tree = treeOf(cwd);
  const named = Object.entries(agents).flatMap(([name, spec]) =>
    !isConfigOwn && Object.hasOwn(config.agents, name) ? (obeyedAgent(name, spec) ?? []) : [],
  );
  return withFiles(
    tree,
    [
      ...named,
      ...(isConfigOwn
        ? []
        : obeyedSettings({ ...settings, protected: config.protected, workspace: config.workspace })),
      ...(flow === undefined ? [] : ofFlow(flow, tree, checks)),
    ],
    Object.values(agents).some(readsAgentConfig),
  );
}

/** One agent of the configuration, which is to take a step over. */
export const obeyedByAgent = (cwd: string, name: string, spec: AgentSpec, config: Config): Obeying =>
  withFiles(
    treeOf(cwd),
    Object.hasOwn(config.agents, name) ? [obeyedAgent(name, spec)].filter((one) => one !== null) : [],
    readsAgentConfig(spec),
  );

/** Everything that the repository of a folder could have obeyed, and what of it cannot be read. */
export function obeyedByAll(
  cwd: string,
  config: Config,
  { flows, isConfigOwn }: { readonly flows: readonly string[]; readonly isConfigOwn: boolean },
): Obeying & { readonly unread: readonly string[] } {
  const tree = treeOf(cwd);
  const unread: string[] = [];
  const ofFlows = [...ownFlows(tree), ...flows].flatMap((file) => {
    if (isCode(file)) return obeyedModule(file, tree);
    try {
      const configured = Object.keys(config.agents);
      return ofFlow({ file, flow: readFlow(file, { agent: "manual", configured }).flow }, tree, []);
    } catch (error) {
      unread.push(errorText(error));
      return [];
    }
  });
  const ofConfig = isConfigOwn ? [] : obeyedConfig(config);
  return { ...withFiles(tree, [...ofConfig, ...detected(tree, []), ...ofFlows], true), unread };
}

/** Flows that the repository brings and that are found by their names. */
const ownFlows = ({ cwd }: Tree): string[] =>
  foldersUpToRoot(cwd)
    .map((folder) => path.join(folder, ".holdfast", "flows"))
    .flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [],
    )
    .filter((file) => /\.(ya?ml|json)$/.test(file) || isCode(file));

/** A flow that is code, with what it imports: it is trusted before it is run. */
export const obeyedModule = (file: string, { root }: Tree): Obeyed[] =>
  withImports(file).flatMap((one) => obeyedFile(one, root) ?? []);

/** A flow of the package is Holdfast's own, one outside of the repository the operator's; what it leaves open is found here. */
function ofFlow(
  { file, flow }: { readonly file: string; readonly flow: Flow },
  tree: Tree,
  checks: readonly string[],
): Obeyed[] {
  const open = ["{check}", detectCheck(tree.cwd)].filter((one) => one !== null);
  const gates = flow.phases.map(({ gate }) => gate?.checks ?? []);
  const isOpen = [...flow.steps.map(({ checks }) => checks), ...gates]
    .flat()
    .some(({ run }) => open.includes(run));
  const found = isOpen ? detected(tree, checks) : [];
  const at = existsSync(file) ? realpathSync(file) : file;
  if (isCode(at) || !at.startsWith(tree.root + path.sep) || isPackaged(at)) return found;
  return [...found, ...obeyedFlow(path.relative(tree.root, at), flow, [...checks, ...open])];
}

const isPackaged = (file: string): boolean =>
  path.dirname(file) === path.join(realpathSync(packageFolder()), "flows");

/** The tests of the project, as its files name them: nobody typed that command. */
function detected({ cwd }: Tree, checks: readonly string[]): Obeyed[] {
  const run = checks.length > 0 ? null : detectCheck(cwd);
  if (run === null) return [];
  const scripts = /^(npm|pnpm|yarn) /.test(run) ? `\n${scriptsOf(cwd)}` : "";
  return [{ key: "check that was found", what: "check", text: `${run}${scripts}` }];
}

function scriptsOf(cwd: string): string {
  try {
    const text = plainTextIfAny(path.join(cwd, "package.json"), {
      bytesMax: FILE_BYTES_MAX,
      links: "follow",
    });
    const { scripts } = JSON.parse(text ?? "{}") as { scripts?: unknown };
    return JSON.stringify(scripts ?? {}, null, 2);
  } catch {
    return "";
  }
}

function withFiles(tree: Tree, obeyed: readonly Obeyed[], readsConfig: boolean): Obeying {
  const programs = programFiles(obeyed, tree);
  const files = [...programs, ...(readsConfig ? agentConfigFiles(tree) : [])];
  const contents = [...new Set(files)].flatMap((file) => obeyedFile(file, tree.root) ?? []);
  const filesOf = (isOne: (what: Obeyed["what"]) => boolean): string[] =>
    programFiles(
      obeyed.filter(({ what }) => isOne(what)),
      tree,
    );
  return {
    tree,
    obeyed: [...obeyed, ...contents],
    programs: filesOf((what) => what !== "check"),
    checks: filesOf((what) => what === "check"),
  };
}
