import { existsSync, statSync } from "node:fs";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { World } from "../../model/world.ts";
import type { AgentDriver, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { cannotReceive, createListeners } from "../listening.ts";
import { continuable } from "../conversation-id.ts";
import { findProgram } from "../find-program.ts";
import { headlessReader } from "../headless/headless-reader.ts";
import { isShell } from "../is-shell.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool, type LineReader } from "../keeper/spool/read-spool.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { describedLines } from "./described-lines.ts";
import { placeTask } from "./place-task.ts";
import { claimAtEnd, printedText } from "./printed-text.ts";

export interface CommandDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; each has a folder of its own below it. */
  readonly folder: string;
  /** Up to here all of what an agent prints is read. */
  readonly outputBytesMax?: number | undefined;
}

/**
 * Runs any program that takes its task as an argument or on stdin and exits; it goes on when its supervisor dies. What
 * it prints is text, or JSON Lines that its user has described.
 */
export function commandDriver({
  world,
  folder,
  outputBytesMax: quotaBytes,
}: CommandDriverOptions): AgentDriver {
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    use: "command",
    capabilities: AGENTS.command.capabilities,
    ...cannotReceive,
    start: (order) => start(world, at(order), order),
    find: (ref) => probeSession(world, at(ref)),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, (listening) => {
        const session = at(ref);
        const reader = (): LineReader => readerOf(ref.spec, session);
        const spools = ["out", "err"] as const;
        return readSpool({ world, session, spools, reader, remembers: true, quotaBytes }, cursor, listening);
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

function readerOf(
  { signals, resume, command = [], args = [] }: AgentSpec,
  { order }: SessionFolder,
): LineReader {
  if (signals === undefined) return printedText({ mute: isShell(withoutPlaces([...command, ...args])) });
  const startedAt = statSync(order, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const lines = describedLines(signals, { startedAt, resumes: resume !== undefined });
  return {
    ...headlessReader(lines),
    last: (exit, receivedBefore) =>
      receivedBefore ? [exit] : [...claimAtEnd(lines.unclaimed(), exit), exit],
  };
}

/** A shell that is given the task as its script carries out just that. */
const withoutPlaces = (words: readonly string[]): readonly string[] =>
  words.filter((word, at) => word !== "{task}" && !(word === "-c" && words[at + 1] === "{task}"));

/** The most that a system takes as one argument of a program, with room to spare. */
const TASK_BYTES_MAX = 120_000;

function start(world: World, session: SessionFolder, order: StartOrder): Promise<StartOutcome> {
  const { spec, cwd } = order;
  // A NUL would end the argument.
  const task = order.task.replaceAll("\0", "");
  const resume = spec.resume === undefined ? undefined : continuable(order.resume);
  const placed = placeTask(spec, { task, model: spec.model ?? "", session: resume });
  const problem = problemOf(spec, { placed, task, cwd });
  if (problem !== undefined || placed === undefined)
    return Promise.resolve({ kind: "failed", text: problem ?? NO_COMMAND, terminal: true });
  const [name, ...words] = placed.command;
  const command = [findIn(spec, name, cwd) ?? name, ...words] as const;
  return launchSession(world, {
    session,
    cwd,
    command,
    ...(placed.onStdin && { input: `${task}\n` }),
    heir: order,
    env: spec.env ?? {},
    order: { command, cwd, conversation: resume },
  });
}

const NO_COMMAND =
  'an agent with use: command has no command; expected a program and its arguments, such as command: [my-agent, "{task}"]';

const findIn = ({ env }: AgentSpec, name: string, cwd: string): string | undefined =>
  findProgram(name, env?.["PATH"] ?? process.env["PATH"], cwd);

interface Asked {
  readonly placed: ReturnType<typeof placeTask>;
  readonly task: string;
  readonly cwd: string;
}

/** Why the program cannot be started, and never will be. */
function problemOf(spec: AgentSpec, { placed, task, cwd }: Asked): string | undefined {
  const { command = [], args = [], model = "", env = {} } = spec;
  if (!existsSync(cwd)) return `the folder to work in, ${cwd}, does not exist`;
  if (placed === undefined) return NO_COMMAND;
  const [name] = placed.command;
  if (findIn(spec, name, cwd) === undefined)
    return `the program "${name}" was not found; expected it on PATH, or its path in the agent's "command"`;
  if ([...command, ...args, model, ...Object.entries(env).flat()].some((word) => word.includes("\0")))
    return "a word of the agent's command, arguments, model or environment holds a NUL; expected text without it";
  const bytes = Buffer.byteLength(task);
  return placed.onStdin || bytes <= TASK_BYTES_MAX
    ? undefined
    : `the task has ${String(bytes)} bytes, and an argument of a program holds ${String(TASK_BYTES_MAX)}; leave {task} out of the command, so that the program reads it from its stdin`;
}
