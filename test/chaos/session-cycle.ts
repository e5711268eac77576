import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EndOutcome, StartOutcome } from "../../src/agents/agent-driver.ts";
import { endSession } from "../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../src/agents/keeper/launch-session.ts";
import { readIdentity, sessionFolder, type SessionFolder } from "../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../src/agents/keeper/session-members.ts";
import { readAllProcesses } from "../../src/agents/process-table.ts";
import { tmuxDriver } from "../../src/agents/tmux/tmux-driver.ts";
import type { World } from "../../src/model/world.ts";
import { ZOO, type Beast } from "../agents/zoo/zoo.ts";

/** Where and how one beast is started; every process it brings into the world bears `mark` in its environment. */
interface Bench {
  start(beast: Beast, session: string, mark: string): Promise<StartOutcome>;
  end(session: string): Promise<EndOutcome>;
  close(): Promise<void>;
}

export const MARK = "HOLDFAST_CYCLE";
const GRACE_MS = 300;
/** What is still there so long after the end was told has survived it. */
const SURVIVAL_MS = 5_000;
const SHOWS_ITSELF_MS = 20_000;

const keeperBench = (world: World, folder: string): Bench => ({
  start: (beast, name, mark) =>
    launchSession(world, {
      session: sessionFolder(folder, name),
      command: beast.command,
      cwd: folder,
      order: {},
      env: { [MARK]: mark },
    }),
  end: (name) => endSession(world, sessionFolder(folder, name), GRACE_MS),
  close: () => Promise.resolve(),
});

function terminalBench(world: World, folder: string): Bench {
  const driver = tmuxDriver({ world, folder });
  const refOf = (session: string) => ({ session, spec: { use: "tmux" as const } });
  return {
    start: ({ command }, session, mark) =>
      driver.start({
        ...{ session, run: "r", step: "s", attempt: "a", number: 1, task: "do it", cwd: folder },
        spec: { use: "tmux", command: [...command], env: { [MARK]: mark } },
      }),
    end: (session) => driver.end(refOf(session), GRACE_MS),
    close: () => driver.close(),
  };
}

export interface SharedResources {
  readonly keeper: Bench;
  readonly terminal: Bench | undefined;
  readonly folder: string;
}

export const openBenches = (world: World, folder: string, tmux: boolean): SharedResources => ({
  folder,
  keeper: keeperBench(world, folder),
  terminal: tmux ? terminalBench(world, folder) : undefined,
});

/** What is done to a session before it is ended: nothing, or somebody kills a part of it. */
const BLOWS = ["none", "none", "keeper", "agent"] as const;

/** One beast is started, struck at some instant of its life, and ended. Answers what was wrong. */
export async function cycle(
  benches: SharedResources,
  index: number,
  chance: () => number,
): Promise<string[]> {
  const beast = ZOO[index % ZOO.length] ?? ZOO[0];
  if (beast === undefined) return ["the zoo is empty"];
  const inTerminal = benches.terminal !== undefined && Math.floor(index / ZOO.length) % 2 === 1;
  const bench = inTerminal && benches.terminal !== undefined ? benches.terminal : benches.keeper;
  const name = `cycle-${String(index)}`;
  const mark = `${benches.folder}/${name}`;
  const what = `${name}, ${beast.name} ${inTerminal ? "in a terminal" : "under a keeper"}`;
  const started = await bench.start(beast, name, mark);
  if (started.kind === "failed") return [`${what}: not started: ${started.text}`];
  const session = sessionFolder(benches.folder, name);
  if (chance() < 0.5) await showsItself(beast, inTerminal ? session.terminal : session.out);
  else await delay(chance() * 300);
  strike(session, BLOWS[Math.floor(chance() * BLOWS.length)] ?? "none");
  const ended = await bench.end(name);
  if (ended.kind === "failed") return [`${what}: not ended: ${ended.text}`];
  return survivorsOf(mark).length === 0 ? [] : outlast(what, mark);
}

async function showsItself({ says }: Beast, spool: string): Promise<void> {
  const words = new RegExp((says?.source ?? "^").replaceAll(/^\^|\$$/g, ""));
  for (const until = Date.now() + SHOWS_ITSELF_MS; Date.now() < until; await delay(20))
    if (words.test(readIfThere(spool))) return;
}

function strike(session: SessionFolder, blow: (typeof BLOWS)[number]): void {
  const reading = readIdentity(session);
  if (blow === "none" || reading.kind !== "keeper") return;
  const members = sessionMembers(session.mark, reading.keeper);
  if (members === "unknown") return;
  for (const { pid } of members) if ((pid === reading.keeper.pid) === (blow === "keeper")) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function outlast(what: string, mark: string): Promise<string[]> {
  await delay(SURVIVAL_MS);
  const left = survivorsOf(mark);
  for (const pid of left) kill(pid);
  return left.length === 0 ? [] : [`${what}: ${String(left.length)} survive it`];
}

/** Seen by the environment that everything inherits, and by nothing that Holdfast itself looks at. */
export function survivorsOf(mark: string): number[] {
  const rows = readAllProcesses();
  if (rows === "unknown") throw new Error("the process table cannot be read");
  return rows
    .filter((row) => !row.zombie && row.pid !== process.pid)
    .map(({ pid }) => pid)
    .filter((pid) =>
      `\0${readIfThere(path.join("/proc", String(pid), "environ"))}`.includes(`\0${MARK}=${mark}\0`),
    );
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
