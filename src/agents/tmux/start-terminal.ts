import { accessSync, appendFileSync, constants, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { StartOrder, StartOutcome } from "../agent-driver.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { siftVariable } from "../keeper/spool/sifting.ts";
import { outcomeOf } from "../keeper/launch-session.ts";
import {
  claimNever,
  makeSessionFolder,
  MARK_VARIABLE,
  readIdentity,
  writeWhole,
  type SessionFolder,
} from "../keeper/session-folder.ts";
import { pause } from "../pause.ts";
import { isVariableName, launchScript } from "./launch-script.ts";
import { nameConversation } from "./name-conversation.ts";
import { siftTerminal } from "./sift-terminal.ts";
import type { Program } from "./programs/program.ts";
import type { Ordered, TerminalFolder } from "./terminal-folder.ts";
import { paneNameOf, targetOf, type TmuxAnswer, type TmuxClient } from "./tmux-client.ts";

export interface TerminalStart {
  readonly world: World;
  readonly tmux: TmuxClient;
  readonly terminal: TerminalFolder;
  readonly order: StartOrder;
  readonly program: Program;
}

const IDENTITY_WAIT_MS = 20_000;
const IDENTITY_POLL_MS = 10;
const OPEN_TRIES = 5;
const OPEN_PAUSE_MS = 20;
const STALE_LAUNCH_MS = 60_000;

/** Said at every start: the server may be new, and it has no other settings than these. */
const SETTINGS = [
  ...["start-server", ";"],
  // The last screen and the pipe's last bytes stay until they are read.
  ...["set", "-g", "remain-on-exit", "on", ";"],
  ...["set", "-g", "remain-on-exit-format", "", ";"],
  ...["set", "-g", "status", "off", ";"],
  ...["set", "-g", "default-terminal", "screen-256color", ";"],
  ...["set", "-g", "history-limit", "1000", ";"],
  ...["set", "-g", "update-environment", "", ";"],
  ...["set", "-s", "escape-time", "0", ";"],
  ...["set", "-s", "set-clipboard", "off", ";"],
];

/** Starts the program of a session in a terminal of its own unless it was started before, by whomever (see keeper). */
export async function startTerminal(start: TerminalStart): Promise<StartOutcome> {
  const { world, tmux, terminal, order } = start;
  const { kept } = terminal;
  const before = outcomeOf(readIdentity(kept));
  if (before !== undefined) return before;
  try {
    makeSessionFolder(kept);
    makeOwnFolder(path.dirname(tmux.socket));
    sweepLaunches(kept.folder, world.now());
    const named = nameConversation(start.program, order, kept.mark);
    const ordered: Ordered = {
      task: order.task,
      ...(named.id !== undefined && { conversation: named.id, goesOn: named.goesOn }),
    };
    writeWhole(kept.order, JSON.stringify(ordered), world.id("draft"));
    for (const file of [terminal.raw, kept.out]) appendFileSync(file, "", { mode: 0o600 });
    const nonce = world.id("draft");
    writeFileSync(path.join(kept.folder, `launch.${nonce}`), scriptFor(start, nonce, named.words), {
      mode: 0o600,
    });
    writeFileSync(siftFile(kept, nonce), siftTerminal(siftVariable()["HOLDFAST_SIFT"] ?? ""), {
      mode: 0o600,
    });
    world.crashPoint("session.spawn.before");
    const answer = await openTerminal(start, nonce);
    world.crashPoint("session.spawn.after");
    const refused = refusalOf(answer);
    if (refused !== undefined) rmSync(siftFile(kept, nonce), { force: true });
    if (refused !== undefined) return refused;
    const outcome = await awaitIdentity(world, terminal);
    if (outcome.kind === "failed") await tmux.run(["kill-session", "-t", targetOf(order.session)]);
    return outcome;
  } catch (error) {
    return {
      kind: "failed",
      text: `the terminal could not be started: ${errorText(error)}`,
      terminal: false,
    };
  }
}

function scriptFor({ terminal, order }: TerminalStart, nonce: string, more: readonly string[]): string {
  const { cwd, enter, nice } = order;
  const env = agentEnvironment(order, terminal);
  const [program = "", ...words] = [...(order.spec.command ?? []), ...more];
  const command = [program, ...words] as const;
  const own = terminal.kept.tmp;
  const entered = enter?.({ own, command, cwd, env, files: [] }) ?? command;
  return launchScript(terminal, nonce, { command: entered, cwd, env, nice });
}

/** A program that knew of this tmux could give it commands. */
const agentEnvironment = (order: StartOrder, { kept }: TerminalFolder): Record<string, string> => {
  const inherited = withoutAutomation(inheritedEnvironment(process.env, order));
  const entries = Object.entries({ ...inherited, ...order.spec.env });
  const env = Object.fromEntries(
    entries.filter(([name, value]) => !/^TMUX/.test(name) && value !== undefined),
  );
  return { ...(env as Record<string, string>), TERM: "screen-256color", [MARK_VARIABLE]: kept.mark };
};

/**
 * A server ends with its last session, and the one that speaks to it at that moment is informed that it exited. The
 * next one who asks begins another. Should the terminal be there all the same, the keepers settle who holds the
 * session.
 */
async function openTerminal(start: TerminalStart, nonce: string): Promise<TmuxAnswer> {
  const { world, tmux, terminal } = start;
  for (let tries = 1; ; tries += 1) {
    const answer = await tmux.run(newSession(start, nonce), { cwd: terminal.kept.folder });
    if (answer.kind !== "absent" || tries === OPEN_TRIES) return answer;
    await pause(world, OPEN_PAUSE_MS);
  }
}

function newSession({ terminal, order }: TerminalStart, nonce: string): readonly string[] {
  return [
    ...SETTINGS,
    ...["new-session", "-d", "-s", paneNameOf(order.session), "-x", "110", "-y", "50"],
    ...["-e", `${MARK_VARIABLE}=${terminal.kept.mark}`, "/bin/sh", `launch.${nonce}`, ";"],
    // In the same breath, so that not one byte of the program is missed.
    ...[
      "pipe-pane",
      "-O",
      "-t",
      targetOf(order.session),
      pipeCommand(terminal.raw, siftFile(terminal.kept, nonce)),
    ],
  ];
}

const siftFile = ({ folder }: SessionFolder, nonce: string): string =>
  path.join(folder, `launch.${nonce}.sift`);

/** tmux expands this, and a shell reads it: paths are written in digits. */
export function pipeCommand(raw: string, sift: string): string {
  const [to, by] = [raw, sift].map((file) => {
    const digits = Array.from(Buffer.from(file), (byte) => `\\${byte.toString(8).padStart(3, "0")}`);
    return `"$(printf '${digits.join("")}')"`;
  });
  return `exec >>${to ?? ""}; perl=/usr/bin/perl; [ -x "$perl" ] || perl=$(command -v perl) || { rm -f ${by ?? ""}; exec cat; }; LC_ALL=C exec "$perl" ${by ?? ""}`;
}

function refusalOf(answer: TmuxAnswer): StartOutcome | undefined {
  // Another start was quicker; the keepers settle who holds the session.
  if (answer.kind === "done" || answer.text.startsWith("duplicate session")) return undefined;
  return { kind: "failed", text: answer.text, terminal: answer.kind === "failed" && answer.missing };
}

async function awaitIdentity(world: World, { kept }: TerminalFolder): Promise<StartOutcome> {
  for (let waitedMs = 0; waitedMs < IDENTITY_WAIT_MS; waitedMs += IDENTITY_POLL_MS) {
    const outcome = outcomeOf(readIdentity(kept));
    if (outcome !== undefined) return outcome;
    await pause(world, IDENTITY_POLL_MS);
  }
  const claimed = claimNever(kept, world.id("draft"));
  const late = claimed.kind === "never" ? undefined : outcomeOf(claimed);
  const text = `no keeper in the terminal within ${String(IDENTITY_WAIT_MS)} ms`;
  return late ?? { kind: "failed", text, terminal: false };
}

/** Scripts of starts that were cut short hold an environment, and are not left lying about. */
function sweepLaunches(folder: string, nowMs: number): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith("launch."))) {
    const file = path.join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && nowMs - stat.mtimeMs > STALE_LAUNCH_MS) rmSync(file, { force: true });
  }
}

/** Why an order cannot be carried out, however often it is tried. */
export function impossible({ spec, cwd }: StartOrder): string | undefined {
  const [program] = spec.command ?? [];
  if (program === undefined) return `the agent names no program; expected command: [PROGRAM, ...]`;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return `the folder to work in, ${JSON.stringify(cwd)}, does not exist`;
  const words = [...(spec.command ?? []), ...Object.entries(spec.env ?? {}).flat()];
  if (words.some((word) => word.includes("\0")))
    return "a word of the command or its environment holds a NUL; expected text without it";
  const name = Object.keys(spec.env ?? {}).find((one) => !isVariableName(one));
  if (name !== undefined)
    return `the environment names ${JSON.stringify(name)}; expected letters, digits and "_" that do not begin with a digit`;
  const PATH = spec.env?.["PATH"] ?? process.env["PATH"] ?? "";
  if (!candidates(program, cwd, PATH).some(isExecutable))
    return `the program ${JSON.stringify(program)} was not found; expected a program on the PATH or a path to one`;
  return undefined;
}

const candidates = (program: string, cwd: string, PATH: string): readonly string[] =>
  program.includes("/")
    ? [path.resolve(cwd, program)]
    : PATH.split(path.delimiter).map((folder) => path.resolve(cwd, folder, program));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * That nobody sits before a terminal: true where Holdfast itself is run by a build server, and wrong for the program,
 * which has a terminal and somebody who answers. Gemini CLI, for one, would not begin.
 */
const AUTOMATION = ["CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER", "RUN_ID"];

const withoutAutomation = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !AUTOMATION.includes(name) && !name.startsWith("CI_")),
  );
