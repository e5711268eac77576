import type { World } from "../../model/world.ts";
import type { SendOutcome, SessionRef } from "../agent-driver.ts";
import { findProgram } from "./find-program.ts";
import { plainProgram } from "./programs/plain.ts";
import { speak, type Speaking } from "./speak.ts";
import { terminalFolder } from "./terminal-folder.ts";
import type { TmuxClient } from "./tmux-client.ts";
import { WatchedTerminal } from "./watched-terminal.ts";

/** What is said to programs from this process: to each one thing at a time, since two that type at once would mix. */
export interface Talks {
  told(ref: SessionRef, work: (to: Speaking) => Promise<SendOutcome>): Promise<SendOutcome>;
  watched(ref: SessionRef): WatchedTerminal;
  /** When everything that was begun is over. */
  settled(): Promise<unknown>;
}

export function createTalks(world: World, tmux: TmuxClient, folder: string): Talks {
  const turns = new Map<string, Promise<unknown>>();
  const told: Talks["told"] = ({ session, spec }, work) => {
    const program = findProgram(spec);
    if ("problem" in program)
      return Promise.resolve({ kind: "failed", text: program.problem, terminal: true });
    const to = { world, tmux, terminal: terminalFolder(folder, session), program };
    const turn = (turns.get(session) ?? Promise.resolve()).then(() => work(to));
    const over = turn
      .catch(() => undefined)
      .finally(() => turns.get(session) === over && turns.delete(session));
    turns.set(session, over);
    return turn;
  };
  const watched: Talks["watched"] = (ref) => {
    const found = findProgram(ref.spec);
    return new WatchedTerminal({
      world,
      terminal: terminalFolder(folder, ref.session),
      program: "problem" in found ? plainProgram(undefined) : found,
      say: (key, text) => told(ref, (to) => speak(to, key, text)),
    });
  };
  return { told, watched, settled: () => Promise.all(turns.values()) };
}
