import type { SessionRef } from "../agent-driver.ts";
import { liveTerminal, type LiveTerminal, type TerminalListener } from "./live/live-terminal.ts";
import { type Cursor, lookAtOne } from "./screen/look-at-panes.ts";
import { paneNameOf, serverWords, tmuxClient } from "./tmux-client.ts";

/** The terminals of a store's sessions, for people. */
export interface Terminals {
  /** How a person sees the terminal of a session in tmux. */
  attachCommand(session: string, mayType: boolean): readonly string[];
  /** What it shows now; null where it cannot be seen from here. */
  screenOf(session: string): Promise<TerminalScreen | null>;
  /** Shows it for as long as somebody looks on, who may type. */
  openTerminal(of: SessionRef, receive: TerminalListener): LiveTerminal;
}

export const terminalsOf = (sessions: string, redact: (text: string) => string): Terminals => ({
  attachCommand: (session, mayType) => attachCommand(sessions, session, mayType),
  screenOf: (session) => terminalScreen(sessions, session, redact),
  openTerminal: ({ session, spec }, receive) => liveTerminal({ sessions, session, spec, redact }, receive),
});

/** The command by which a person sees a session's terminal; without leave to type, what they type goes nowhere. */
const attachCommand = (sessions: string, session: string, mayType: boolean): readonly string[] => [
  // A TMUX_TMPDIR of the person's own would look for the server elsewhere.
  ...["env", "-u", "TMUX", "-u", "TMUX_TMPDIR", "tmux", "-u", ...serverWords(sessions)],
  ...["attach-session", ...(mayType ? [] : ["-r"]), "-t", `=${paneNameOf(session)}`],
];

/** What a terminal shows at one moment, as text. */
interface TerminalScreen {
  readonly title: string;
  readonly lines: readonly string[];
  /** Null where the program hides it, or it is not known. */
  readonly cursor: Pick<Cursor, "x" | "y"> | null;
}

/** A larger terminal is shown from its end. */
const LINES_MAX = 200;
const CHARS_MAX = 500;

/** Null where there is no such terminal on this host, or tmux did not answer. */
async function terminalScreen(
  sessions: string,
  session: string,
  redact: (text: string) => string,
): Promise<TerminalScreen | null> {
  const seen = await lookAtOne(tmuxClient(sessions), session);
  if (seen === undefined) return null;
  const { title, lines, cursor } = seen;
  const skipped = Math.max(0, lines.length - LINES_MAX);
  return {
    title: redact(title).slice(0, CHARS_MAX),
    lines: lines.slice(skipped).map((line) => redact(line).slice(0, CHARS_MAX)),
    cursor: cursor?.shown === true ? { x: cursor.x, y: cursor.y - skipped } : null,
  };
}
