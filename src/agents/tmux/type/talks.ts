import type { World } from "../../../model/world.ts";
import type { SendOutcome, SessionRef } from "../../agent-driver.ts";
import { findProgram } from "../find-program.ts";
import { learnPrompt, readLearned, type Learned } from "./learn-prompt.ts";
import { hasNoPrompt, plainProgram, type Program } from "../programs/program.ts";
import { speak } from "./speak.ts";
import type { Speaking } from "./speaking.ts";
import { terminalFolder, type TerminalFolder } from "../terminal-folder.ts";
import type { TmuxClient } from "../tmux-client.ts";
import { WatchedTerminal } from "../watched-terminal.ts";

/** What is said to programs from this process: to each one thing at a time, since two that type at once would mix. */
export interface Talks {
  deliver(ref: SessionRef, work: (to: Speaking) => Promise<SendOutcome>): Promise<SendOutcome>;
  watched(ref: SessionRef): WatchedTerminal;
  /** When everything that was begun is over. */
  settled(): Promise<unknown>;
}

/** A program whose prompt nobody described, with the one that was learned of it. */
export function withLearned(
  program: Program,
  { command }: SessionRef["spec"],
  terminal: TerminalFolder,
): Program {
  const learned = hasNoPrompt(program) ? readLearned(terminal) : undefined;
  if (learned?.state !== "learned") return program;
  return plainProgram(new RegExp(learned.prompt, "u"), command, program.dialogs);
}

export function createTalks(world: World, tmux: TmuxClient, folder: string): Talks {
  const turns = new Map<string, Promise<unknown>>();
  const deliver: Talks["deliver"] = ({ session, spec }, work) => {
    const program = findProgram(spec);
    if ("problem" in program)
      return Promise.resolve({ kind: "failed", text: program.problem, terminal: true });
    const terminal = terminalFolder(folder, session);
    const to = (): Speaking => ({ world, tmux, terminal, program: withLearned(program, spec, terminal) });
    const turn = (turns.get(session) ?? Promise.resolve()).then(() => work(to()));
    const over = turn
      .catch(() => undefined)
      .finally(() => turns.get(session) === over && turns.delete(session));
    turns.set(session, over);
    return turn;
  };
  const watched: Talks["watched"] = (ref) => {
    const found = findProgram(ref.spec);
    const terminal = terminalFolder(folder, ref.session);
    let program = withLearned("problem" in found ? plainProgram(undefined) : found, ref.spec, terminal);
    return new WatchedTerminal({
      world,
      terminal,
      get program() {
        return program;
      },
      say: (key, text) => deliver(ref, (to) => speak(to, key, text)),
      learn: async () => {
        let learned: Learned = { kind: "unknown", why: "it could not be looked at", screen: "" };
        await deliver(ref, async (to) => {
          learned = await learnPrompt(to);
          return { kind: "sent", detail: learned.kind };
        });
        program = withLearned(program, ref.spec, terminal);
        return learned;
      },
    });
  };
  return { deliver, watched, settled: () => Promise.all(turns.values()) };
}
