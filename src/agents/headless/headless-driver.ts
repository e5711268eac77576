import { existsSync, statSync } from "node:fs";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { World } from "../../model/world.ts";
import type { AgentDriver, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { cannotReceive, createListeners } from "../listening.ts";
import { continuable } from "../conversation-id.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool, type LineReader, type Meter } from "../keeper/spool/read-spool.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { fileMeter } from "../meters/file-meter.ts";
import type { McpServersOf } from "../mcp-servers.ts";
import { conversationName } from "./conversation-name.ts";
import { findProgram } from "../find-program.ts";
import { NO_TOKENS, type HeadlessAgent, type SessionPast, type TokenCount } from "./headless-agent.ts";
import { headlessReader } from "./headless-reader.ts";
import { numberAt, parseJson, textAt } from "./json-fields.ts";
import { offerTools } from "./offer-tools.ts";
import { usedBefore } from "./used-before.ts";

export interface HeadlessDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; each has a folder of its own below it. */
  readonly folder: string;
  /** Servers of tools that the agent is offered. */
  readonly mcpServers?: McpServersOf;
  /** Up to here all of what an agent prints is read. */
  readonly outputBytesMax?: number | undefined;
}

/** Runs an agent that reads its task from its standard input and prints JSON Lines; it goes on when its supervisor dies. */
export function headlessDriver(agent: HeadlessAgent, options: HeadlessDriverOptions): AgentDriver {
  const { world, folder, outputBytesMax: quotaBytes } = options;
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    use: agent.use,
    capabilities: AGENTS[agent.use].capabilities,
    ...cannotReceive,
    start: (order) => start(agent, options, order),
    find: (ref) => probeSession(world, at(ref)),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, (listening) => {
        const session = at(ref);
        const reader = (): LineReader => headlessReader(agent.vocabulary(pastOf(session)));
        const spools = ["out", "err"] as const;
        const reading = { world, session, spools, reader, remembers: true, quotaBytes };
        const meter = meterOf(agent, world, session);
        return readSpool({ ...reading, ...(meter === undefined ? {} : { meter }) }, cursor, listening);
      }),
    end: (ref, graceMs) => endSession(world, at(ref), graceMs),
    // Its process goes on for the next owner.
    abandon: () => undefined,
    close: () => {
      listeners.closeAll();
      return Promise.resolve();
    },
  };
}

/** Gemini CLI reads 8 MB at most; nobody means more. */
const PROMPT_BYTES_MAX = 4_000_000;

async function start(
  agent: HeadlessAgent,
  { world, folder, mcpServers = () => [], outputBytesMax }: HeadlessDriverOptions,
  asked: StartOrder,
): Promise<StartOutcome> {
  const order = { ...asked, resume: continuable(asked.resume) };
  const { spec, cwd } = order;
  const session = sessionFolder(folder, order.session);
  if (!existsSync(cwd)) return hopeless(`the folder to work in, ${cwd}, does not exist`);
  const env = environmentOf(agent, session, spec.env ?? {});
  const [name, ...words] = spec.command ?? [agent.program];
  const program = findProgram(name ?? agent.program, env["PATH"] ?? process.env["PATH"], cwd);
  if (program === undefined) return hopeless(notInstalled(agent, name ?? agent.program));
  const prompt = order.task.replaceAll("\0", "");
  const bytes = Buffer.byteLength(prompt);
  if (bytes > PROMPT_BYTES_MAX) return hopeless(tooLong(bytes));
  const unfit = unfitWord(spec);
  if (unfit !== undefined) return hopeless(unfit);
  const conversation = conversationName(session.mark);
  const offered = offerTools(agent, session, { servers: mcpServers(order), env });
  const { resume } = order;
  const given = { args: spec.args ?? [], model: spec.model, resume };
  const task = { ...given, conversation, offer: offered.args ?? [] };
  const command = [program, ...words, ...agent.argv(task)] as const;
  const ledger = agent.ledger?.home({ ...inheritedEnvironment(process.env, order), ...env, ...offered.env });
  return launchSession(world, {
    session,
    cwd,
    command,
    input: prompt,
    heir: order,
    env: { ...env, ...offered.env },
    files: offered.files ?? {},
    ownTmp: agent.ownTmp === true,
    outputBytesMax,
    order: {
      command,
      cwd,
      conversation: resume ?? conversation,
      ledger,
      ...(await usedBefore(agent, { sessions: folder, ledger }, order)),
    },
  });
}

const hopeless = (text: string): StartOutcome => ({ kind: "failed", text, terminal: true });

const notInstalled = ({ title, install }: HeadlessAgent, name: string): string =>
  `the program "${name}" was not found; expected ${title} (get it by \`${install}\`) on PATH, or where the agent's "command" says`;

/** What no program can be given, and what it would take for something else. */
function unfitWord({ command = [], args = [], model = "", env = {} }: AgentSpec): string | undefined {
  if ([...command, ...args, model, ...Object.entries(env).flat()].some((word) => word.includes("\0")))
    return "a word of the agent's command, arguments, model or environment holds a NUL; expected text without it";
  if (model.startsWith("-"))
    return `the model ${JSON.stringify(model.slice(0, 100))} looks like an option; expected the name of a model`;
  return undefined;
}

const tooLong = (bytes: number): string =>
  `the task has ${String(bytes)} bytes; expected at most ${String(PROMPT_BYTES_MAX)}: put the most of it into a file and name that file in the task`;

function environmentOf(
  agent: HeadlessAgent,
  session: SessionFolder,
  configured: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  const ours = Object.entries(agent.env).filter(
    ([name, value]) => value === undefined || process.env[name] === undefined,
  );
  const tmp = agent.ownTmp === true ? { TMPDIR: session.tmp } : {};
  return { ...Object.fromEntries(ours), ...tmp, ...configured };
}

/** What was written down before the start; a session whose order is lost is read without it. */
function pastOf({ order }: SessionFolder): SessionPast {
  const startedAt = statSync(order, { throwIfNoEntry: false })?.mtimeMs;
  if (startedAt === undefined) return { startedAt: 0, usedBefore: NO_TOKENS };
  const written = parseJson(readIfThere(order));
  const count = (name: keyof TokenCount): number => numberAt(written, name) ?? 0;
  const usedBefore = {
    tokensIn: count("tokensIn"),
    cachedIn: count("cachedIn"),
    tokensOut: count("tokensOut"),
  };
  return { startedAt, usedBefore };
}

function meterOf(agent: HeadlessAgent, world: World, session: SessionFolder): Meter | undefined {
  const home = textAt(parseJson(readIfThere(session.order)), "ledger");
  if (home === undefined || agent.ledger === undefined) return undefined;
  const { startedAt } = pastOf(session);
  return fileMeter({ ledger: agent.ledger.open(home), startedAt, now: () => world.now() });
}

const readIfThere = (file: string): string => plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX }) ?? "";
