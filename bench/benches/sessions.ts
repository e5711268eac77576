import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { AgentSpec } from "../../src/model/flow/flow.ts";
import { findProgram } from "../../src/agents/tmux/find-program.ts";
import { plainProgram } from "../../src/agents/tmux/programs/program.ts";
import { TASK_KEY, writeSaid } from "../../src/agents/tmux/type/said-record.ts";
import { startTerminal } from "../../src/agents/tmux/start-terminal.ts";
import { terminalFolder } from "../../src/agents/tmux/terminal-folder.ts";
import { targetOf, tmuxClient, type TmuxClient } from "../../src/agents/tmux/tmux-client.ts";
import { TerminalWatch } from "../../src/agents/tmux/screen/watch-terminals.ts";
import { WatchedTerminal } from "../../src/agents/tmux/watched-terminal.ts";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { measureInChild } from "../harness/child.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

export const sessionsBench: Bench = { name: "sessions", title: "many sessions at once", run };

const SPEC: AgentSpec = { use: "tmux", command: ["cat"], prompt: "^ready to be told$" };
const OUR_ROUNDS = 40;

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  if (process.platform !== "linux" || spawnSync("tmux", ["-V"]).status !== 0)
    return { says: "", figures: [], ratios: [], skipped: "it needs Linux's /proc and tmux" };
  const sessions = Array.from({ length: quick ? 20 : 200 }, (_, index) => `bench.${String(index)}`);
  const rounds = quick ? 3 : 5;
  const store = path.join(folder, "sessions");
  mkdirSync(store);
  const tmux = tmuxClient(store);
  progress(`starting ${String(sessions.length)} sessions`);
  try {
    for (const session of sessions) await begin(store, session, tmux);
    const server = Number(
      execFileSync("tmux", ["-L", tmux.socket, "display-message", "-p", "#{pid}"], { encoding: "utf8" }),
    );
    const watch = watchAll(store, sessions, tmux);
    // So many that every screen was looked at once.
    for (let round = 0; round < 10; round += 1) await watch.round();
    const ours: number[] = [];
    const each: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${String(round)} of ${String(rounds)}`);
      ours.push(await cpuMs(server, OUR_ROUNDS, () => watch.round()));
      each.push(await cpuMs(server, 1, () => oneProcessEach(tmux, sessions)));
    }
    progress(`a supervisor of ${String(sessions.length)} runs`);
    const supervised = await measureInChild(
      "supervise-many.ts",
      [path.join(folder, "many.db"), String(sessions.length)],
      sessions.length,
    );
    const count = String(sessions.length);
    return {
      says: `${count} sessions in Holdfast's own tmux server, each with an idle program. One round of ours lists all panes with one tmux process, looks whether each agent lives and whether its spool has grown, and looks at the screens that have changed; the other way runs one \`tmux capture-pane\` per session. CPU time of this process, its children and the tmux server, from /proc; ours is the mean of ${String(OUR_ROUNDS)} rounds, since the system counts in steps of 10 ms. Memory is the peak of a supervisor, in a process of its own, that works ${count} runs at once: it starts their programs, gives each its task, watches them for ten seconds and ends them.`,
      figures: [
        { what: `one round of ours, ${count} sessions, CPU`, unit: "ms", spread: spreadOf(ours) },
        { what: `one tmux process per session, CPU`, unit: "ms", spread: spreadOf(each) },
        {
          what: `a supervisor of ${count} runs at once, peak of memory`,
          unit: "MB",
          spread: spreadOf([supervised.peakMb]),
          ...(quick ? {} : { target: { atMost: 300 } }),
        },
      ],
      ratios: [
        {
          what: "ours to one process per session, CPU",
          spread: ratioOf(ours, each),
          ...(quick ? {} : { target: { atMost: 0.01 } }),
        },
      ],
    };
  } finally {
    spawnSync("tmux", ["-L", tmux.socket, "kill-server"]);
  }
}

async function begin(store: string, session: string, tmux: TmuxClient): Promise<void> {
  const world = realWorld();
  const terminal = terminalFolder(store, session);
  const order = { session, spec: SPEC, run: "r", step: "s", attempt: "a", number: 1, task: "-", cwd: store };
  const outcome = await startTerminal({ world, tmux, terminal, order, program: plainProgram(undefined) });
  if (outcome.kind === "failed") throw new Error(outcome.text);
  writeSaid(world, terminal, TASK_KEY, { state: "sent", raw: 0, at: world.now(), detail: "" });
}

/** Rounds are called by hand, and each comes a second after the one before, so that each looks at everything. */
function watchAll(store: string, sessions: readonly string[], tmux: TmuxClient): TerminalWatch {
  const real = realWorld();
  let ahead = 0;
  const world: World = { ...real, timer: () => () => undefined, now: () => real.now() + ahead };
  const step = (): number => real.now() + (ahead += 600);
  const watch = new TerminalWatch({ ...world, now: step }, tmux);
  const program = findProgram(SPEC);
  if ("problem" in program) throw new Error(program.problem);
  const say = (): Promise<never> => Promise.reject(new Error("nobody is spoken to here"));
  for (const session of sessions)
    watch.watch(
      session,
      () => new WatchedTerminal({ world, terminal: terminalFolder(store, session), program, say }),
    );
  return watch;
}

async function oneProcessEach(tmux: TmuxClient, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) await tmux.run(["capture-pane", "-p", "-t", targetOf(session)]);
}

async function cpuMs(server: number, times: number, work: () => Promise<void>): Promise<number> {
  const before = spentMs(server);
  for (let time = 0; time < times; time += 1) await work();
  return (spentMs(server) - before) / times;
}

const MS_PER_TICK = 10;

/** Of this process with the children it has waited for, and of the server alone. */
function spentMs(server: number): number {
  const own = fieldsOf("self").slice(11, 15);
  const others = fieldsOf(String(server)).slice(11, 13);
  return [...own, ...others].reduce((sum, ticks) => sum + Number(ticks), 0) * MS_PER_TICK;
}

function fieldsOf(process: string): string[] {
  const text = readFileSync(`/proc/${process}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
