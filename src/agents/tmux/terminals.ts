import { attachCommand } from "./attach-command.ts";
import { terminalScreen, type TerminalScreen } from "./screen/terminal-screen.ts";

/** The terminals of a store's sessions, for people. */
export interface Terminals {
  /** How a person sees the terminal of a session in tmux. */
  attachCommand(session: string, mayType: boolean): readonly string[];
  /** What it shows now; null where it cannot be seen from here. */
  screenOf(session: string): Promise<TerminalScreen | null>;
}

export const terminalsOf = (sessions: string, redact: (text: string) => string): Terminals => ({
  attachCommand: (session, mayType) => attachCommand(sessions, session, mayType),
  screenOf: (session) => terminalScreen(sessions, session, redact),
});
