import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { AgentSpec } from "../../model/flow/flow.ts";
import { canBeSandboxed, sandboxWish } from "../../model/settings/sandbox.ts";
import type { SandboxMode, SandboxNetwork } from "../../model/settings/sandbox-settings.ts";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import type {
  AgentDriver,
  EndOutcome,
  Entering,
  SessionRef,
  SignalBatch,
  StartOrder,
  StartOutcome,
} from "../agent-driver.ts";
import { sessionFolder } from "../keeper/session-folder.ts";
import type { McpServersOf } from "../mcp-servers.ts";
import { enterSandbox, workspaceOf } from "./enter-sandbox.ts";
import { findSandbox, type SandboxFound } from "./find-sandbox.ts";
import { returnLogins, syncLogins } from "./lent-logins.ts";
import type { Mounted } from "./sandbox-args.ts";
import { limitSession, removeLimits, type Limits, type LimitWay } from "./sandbox-limits.ts";
import { providerHosts } from "./allowed-hosts.ts";
import { refusedText, serveNetwork, serveTools } from "./serve-network.ts";
import { isWithin } from "./visible-files.ts";
import { homePath } from "../../files/user-home.ts";

export interface SandboxOptions {
  /** For agents that do not say it themselves. */
  readonly agents: SandboxMode;
  readonly network: SandboxNetwork;
  readonly read: readonly string[];
  /** What agents whose network is their provider reach beside it. */
  readonly hosts: readonly string[];
  readonly limits: Limits;
  /** The folder of the sessions; everything of the store lies beside it. */
  readonly sessions: string;
  /** Gives attempts git directories of their own; without it the repository can only be read. */
  readonly git?: SandboxGit | undefined;
  /** Which servers of tools agents are offered. */
  readonly mcpServers?: McpServersOf;
  /** For tests: other groups than those of this machine. */
  readonly limit?: (limits: Limits, session: string) => LimitWay;
  /** For tests: another answer to whether there can be one. */
  readonly find?: () => SandboxFound;
}

/** A git directory of an attempt's own, kept in a folder of its session. */
export interface SandboxGit {
  /** Null where there is none. */
  prepare(tree: string, session: string): Promise<Mounted | null>;
  /** Brings over what was committed there, once nothing of the session runs; may be repeated. Answers what did not go. */
  fetch(session: string): Promise<string | null>;
}

type Drivers = ReadonlyMap<AgentSpec["use"], AgentDriver>;

/**
 * The same drivers, whose agents are started in a sandbox where one is wanted, and refused where it is required in
 * vain. What such an agent has committed is brought over before its exit is received, so that everything that follows
 * finds it.
 */
export const withSandbox = (drivers: Drivers, options: SandboxOptions): Drivers =>
  new Map([...drivers].map(([use, driver]) => [use, sandboxed(driver, options)]));

function sandboxed(driver: AgentDriver, options: SandboxOptions): AgentDriver {
  const folderOf = ({ session }: SessionRef): string => sessionFolder(options.sessions, session).folder;
  const fetch = async (ref: SessionRef): Promise<string | null> => {
    returnLogins(folderOf(ref));
    await removeLimits(folderOf(ref));
    return (await options.git?.fetch(folderOf(ref))) ?? null;
  };
  return {
    ...driver,
    start: (order) => start(driver, options, order),
    listen: (ref, cursor, receive) =>
      driver.listen(ref, cursor, async (batch) => {
        if (batch.signals.at(-1)?.kind !== "exit") {
          syncLogins(folderOf(ref));
          return receive(batch);
        }
        const notes = [await fetch(ref), refusedText(folderOf(ref))].filter((note) => note !== null);
        await receive(withNotes(batch, notes));
      }),
    end: async (ref, graceMs): Promise<EndOutcome> => {
      const outcome = await driver.end(ref, graceMs);
      if (outcome.kind === "ended") await fetch(ref);
      return outcome;
    },
  };
}

async function start(driver: AgentDriver, options: SandboxOptions, order: StartOrder): Promise<StartOutcome> {
  const { spec } = order;
  const wish = sandboxWish(spec, options.agents);
  if (wish === "none") return driver.start(order);
  const hidden = hiddenOf(options.sessions);
  const workspace = workspaceOf(order.cwd, [homeOf(spec), ...hidden]);
  const found = (options.find ?? findSandbox)();
  const why =
    found.kind === "impossible" ? `${found.why} (${found.remedy})` : unfit(order, workspace, hidden);
  if (found.kind === "impossible" || why !== null)
    return wish === "required" ? refused(spec, why ?? "") : without(await driver.start(order), why ?? "");
  const network = spec.network ?? options.network;
  const { read: reads } = options;
  const { folder } = sessionFolder(options.sessions, order.session);
  const git = (await options.git?.prepare(workspace, folder)) ?? null;
  const [server] = driver.capabilities.mcp ? (options.mcpServers?.(order) ?? []) : [];
  const tools = server === undefined ? null : serveTools(server, folder);
  const programs = server === undefined ? [] : [process.execPath];
  const way =
    network === "provider"
      ? ({ command, env }: Entering) =>
          serveNetwork(providerHosts({ words: [spec.use, ...command], env, hosts: options.hosts }), folder)
      : null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const limits = (options.limit ?? limitSession)(options.limits, folder);
  const given = { use: spec.use, session: folder, program: found.program, workspace, network, reads, hidden };
  const entry = { ...given, git, tools, programs, way, limits };
  const outcome = await driver.start({ ...order, enter: (entering) => enterSandbox(entry, entering) });
  const text = `in a sandbox (bubblewrap ${found.version}, network: ${network}; ${limits.text})`;
  return outcome.kind === "started" ? { ...outcome, sandbox: { active: true, text } } : outcome;
}

/** Before the exit, which stays the last. Received again after a crash it is the same. */
function withNotes(batch: SignalBatch, texts: readonly string[]): SignalBatch {
  const notes = texts.map((text): Signal => ({ kind: "message", from: "system", text: toExcerpt(text) }));
  return { ...batch, signals: [...batch.signals.slice(0, -1), ...notes, ...batch.signals.slice(-1)] };
}

const refused = ({ use }: AgentSpec, why: string): StartOutcome => ({
  kind: "failed",
  terminal: true,
  text: `the agent (${use}) requires a sandbox, and none is possible: ${why}; see \`holdfast doctor\`, or allow it to work without one (sandbox: auto or none)`,
});

const without = (outcome: StartOutcome, why: string): StartOutcome =>
  outcome.kind === "started"
    ? { ...outcome, sandbox: { active: false, text: `without a sandbox: ${why}` } }
    : outcome;

const homeOf = ({ env }: AgentSpec): string => homePath({ ...process.env, ...env });

/** Why this agent cannot work in one here, although others could. */
function unfit({ spec, cwd }: StartOrder, workspace: string, hidden: readonly string[]): string | null {
  if (!canBeSandboxed(spec)) return `agents with use: ${spec.use} run without one`;
  const held = [homeOf(spec), ...hidden].find((place) => isWithin(workspace, place));
  if (held !== undefined)
    return `the folder to work in, ${workspace}, holds ${held}; expected a folder beside it`;
  const owner = statSync(cwd, { throwIfNoEntry: false })?.uid;
  const self = process.getuid?.();
  if (owner !== undefined && self !== undefined && owner !== self)
    return `${cwd} belongs to user ${String(owner)}, and in a sandbox user ${String(self)} could not write there`;
  return null;
}

/** Everything Holdfast keeps: the store with everything beside it, and the state folder. */
function hiddenOf(sessions: string): readonly string[] {
  const folder = path.dirname(path.resolve(sessions));
  const stem = path.basename(sessions).replace(/-sessions$/, "");
  const beside = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(stem)) : [];
  const home = process.env["HOLDFAST_HOME"];
  return [
    ...beside.map((name) => path.join(folder, name)),
    ...(home === undefined ? [] : [path.resolve(home)]),
  ];
}
