import type { SessionRef } from "../agent-driver.ts";
import { attachCommand } from "./attach-command.ts";
import { liveTerminal, type LiveTerminal, type TerminalListener } from "./live/live-terminal.ts";
import { terminalScreen, type TerminalScreen } from "./screen/terminal-screen.ts";

/** The terminals of a store's sessions, for people. */
export interface Terminals {
  /** How a person sees the terminal of a session in tmux. */
  attachCommand(session: string, mayType: boolean): readonly string[];
  /** What it shows now; null where it cannot be seen from here. */
  screenOf(session: string): Promise<TerminalScreen | null>;
  /** Shows it for as long as somebody looks on, who may type. */
  openTerminal(of: SessionRef, hear: TerminalListener): LiveTerminal;
}

export const terminalsOf = (sessions: string, redact: (text: string) => string): Terminals => ({
  attachCommand: (session, mayType) => attachCommand(sessions, session, mayType),
  screenOf: (session) => terminalScreen(sessions, session, redact),
  openTerminal: ({ session, spec }, hear) => liveTerminal({ sessions, session, spec, redact }, hear),
});
