import { CAPABILITIES } from "../../model/agent-kinds.ts";
import type { World } from "../../model/world.ts";
import type {
  AgentDriver,
  EndOutcome,
  SendOutcome,
  SessionRef,
  StartOrder,
  StartOutcome,
} from "../agent-driver.ts";
import { endSession } from "../keeper/end-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool } from "../keeper/read-spool.ts";
import { createListeners } from "../listening.ts";
import { answerDialog, interruptProgram } from "./answer-dialog.ts";
import { findProgram } from "./find-program.ts";
import { heardSignal } from "./heard-log.ts";
import { speak, type Speaking } from "./speak.ts";
import { impossible, startTerminal } from "./start-terminal.ts";
import { terminalFolder } from "./terminal-folder.ts";
import { lastBytes } from "./raw-reader.ts";
import { targetOf, tmuxClient } from "./tmux-client.ts";
import { TerminalWatch } from "./watch-terminals.ts";
import { WatchedTerminal } from "./watched-terminal.ts";

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
  const listeners = createListeners();
  const turns = new Map<string, Promise<unknown>>();
  /** Two that type at once would mix their texts. */
  const inTurn = <Outcome>(session: string, work: () => Promise<Outcome>): Promise<Outcome> => {
    const turn = (turns.get(session) ?? Promise.resolve()).then(work, work);
    turns.set(session, turn);
    return turn;
  };
  const speaking = ({ session, spec }: SessionRef): Speaking | string => {
    const found = findProgram(spec);
    if ("problem" in found) return found.problem;
    return { world, tmux, terminal: terminalFolder(folder, session), program: found };
  };
  const told = (ref: SessionRef, work: (to: Speaking) => Promise<SendOutcome>): Promise<SendOutcome> => {
    const to = speaking(ref);
    if (typeof to === "string") return Promise.resolve({ kind: "failed", text: to, terminal: true });
    return inTurn(ref.session, () => work(to));
  };
  const watched = (ref: SessionRef): WatchedTerminal => {
    const to = speaking(ref);
    const terminal = terminalFolder(folder, ref.session);
    const known = typeof to === "string" ? findProgram({ use: "tmux" }) : to.program;
    if ("problem" in known) throw new Error(known.problem);
    const say = (key: string, text: string): Promise<SendOutcome> =>
      told(ref, (one) => speak(one, key, text));
    return new WatchedTerminal({ world, terminal, program: known, say });
  };
  return {
    use: "tmux",
    capabilities: CAPABILITIES.tmux,
    start: (order) => start(order),
    find: ({ session }) => probeSession(world, terminalFolder(folder, session).kept),
    listen: (ref, cursor, hear) =>
      listeners.start(hear, async (listening) => {
        const { one, release } = watch.watch(ref.session, () => watched(ref));
        listening.onClose(release);
        const reading = {
          world,
          session: one.terminal.kept,
          signalOf: heardSignal,
          settled: () => one.ended,
        };
        await readSpool(reading, cursor, listening).finally(release);
      }),
    send: (ref, { key, text }) => told(ref, (to) => speak(to, `send:${key}`, text)),
    answer: (ref, answer) => told(ref, (to) => answerDialog(to, answer)),
    interrupt: (ref) => told(ref, interruptProgram),
    end: (ref, graceMs) => end(ref, graceMs),
    // Its terminal goes on for the next owner.
    abandon: () => undefined,
    close: async () => {
      listeners.closeAll();
      await watch.close();
      await Promise.allSettled(turns.values());
    },
  };

  async function start(order: StartOrder): Promise<StartOutcome> {
    const found = findProgram(order.spec);
    const problem = "problem" in found ? found.problem : impossible(order);
    if (problem !== undefined) return { kind: "failed", text: problem, terminal: true };
    const outcome = await startTerminal({
      world,
      tmux,
      terminal: terminalFolder(folder, order.session),
      order,
    });
    if (outcome.kind === "started") watch.bringTask(order.session, () => watched(order));
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
