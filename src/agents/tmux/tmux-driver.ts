import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { World } from "../../model/world.ts";
import type { AgentDriver, EndOutcome, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { endSession } from "../keeper/end-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool } from "../keeper/spool/read-spool.ts";
import { createListeners } from "../listening.ts";
import { answerDialog, interruptProgram } from "./type/answer-dialog.ts";
import { findProgram } from "./find-program.ts";
import { heardReader } from "./type/delivery-log.ts";
import { lastBytes } from "./screen/raw-reader.ts";
import { speak } from "./type/speak.ts";
import { impossible, startTerminal } from "./start-terminal.ts";
import { createTalks } from "./type/talks.ts";
import { terminalFolder } from "./terminal-folder.ts";
import { targetOf, tmuxClient } from "./tmux-client.ts";
import { TerminalWatch } from "./screen/watch-terminals.ts";

export interface TmuxDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; its path also names the tmux server. */
  readonly folder: string;
  /** For tests: another tmux. */
  readonly tmux?: string;
}

/** Any terminal program, in a tmux server of Holdfast's own: it is typed to, and its screen is read. */
export function tmuxDriver({ world, folder, tmux: program = "tmux" }: TmuxDriverOptions): AgentDriver {
  const tmux = tmuxClient(folder, program);
  const watch = new TerminalWatch(world, tmux);
  const talks = createTalks(world, tmux, folder);
  const listeners = createListeners();
  return {
    use: "tmux",
    capabilities: AGENTS.tmux.capabilities,
    start,
    find: ({ session }) => probeSession(world, terminalFolder(folder, session).kept),
    listen: (ref, cursor, hear) =>
      listeners.start(hear, async (listening) => {
        const { one, release } = watch.watch(ref.session, () => talks.watched(ref));
        listening.onClose(release);
        const session = one.terminal.kept;
        const spools = ["out"] as const;
        const settled = (): boolean => one.ended;
        const reading = { world, session, spools, reader: heardReader, remembers: false, settled };
        await readSpool(reading, cursor, listening).finally(release);
      }),
    send: (ref, { key, text }) => talks.told(ref, (to) => speak(to, `send:${key}`, text)),
    answer: (ref, answer) => talks.told(ref, (to) => answerDialog(to, answer)),
    interrupt: (ref) => talks.told(ref, interruptProgram),
    end,
    // Its terminal goes on for the next owner.
    abandon: () => undefined,
    close: async () => {
      listeners.closeAll();
      await watch.close();
      await talks.settled();
    },
  };

  async function start(order: StartOrder): Promise<StartOutcome> {
    const found = findProgram(order.spec);
    if ("problem" in found) return { kind: "failed", text: found.problem, terminal: true };
    const problem = impossible(order);
    if (problem !== undefined) return { kind: "failed", text: problem, terminal: true };
    const terminal = terminalFolder(folder, order.session);
    const outcome = await startTerminal({ world, tmux, terminal, order, program: found });
    if (outcome.kind === "started") watch.bringTask(order.session, () => talks.watched(order));
    return outcome;
  }

  async function end({ session }: SessionRef, graceMs: number): Promise<EndOutcome> {
    const terminal = terminalFolder(folder, session);
    const outcome = await endSession(world, terminal.kept, graceMs);
    await lastBytes(world, terminal);
    if (outcome.kind === "ended") await tmux.run(["kill-session", "-t", targetOf(session)]);
    return outcome;
  }
}
