import { tmuxClient } from "../tmux-client.ts";
import { lookAtOne } from "./look-at-panes.ts";
import type { Cursor } from "./screen.ts";

/** What a terminal shows at one moment, as text. */
export interface TerminalScreen {
  readonly title: string;
  readonly lines: readonly string[];
  /** Null where the program hides it, or it is not known. */
  readonly cursor: Pick<Cursor, "x" | "y"> | null;
}

/** A larger terminal is shown from its end. */
const LINES_MAX = 200;
const CHARS_MAX = 500;

/** Null where there is no such terminal on this host, or tmux did not answer. */
export async function terminalScreen(
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
