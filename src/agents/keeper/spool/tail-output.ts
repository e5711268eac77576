import { existsSync } from "node:fs";
import { sessionFolder, wasPrepared } from "../session-folder.ts";
import type { Skip } from "./spool-quota.ts";
import { spoolTail, type Spool } from "./spool-tail.ts";

export interface OutputLine {
  readonly from: Spool;
  readonly text: string;
}

/** What the agent of a session has printed, as it is. */
export interface OutputTail {
  /** False where nothing of the session is: it ran inside a supervisor, on another host, or never. */
  readonly isHere: () => boolean;
  /** The whole lines that came since the last look. */
  readonly next: () => readonly OutputLine[];
  /** What stands after the last of them, when no more is waited for. */
  readonly rest: () => readonly OutputLine[];
}

const gapText = ({ from, to }: Skip): string =>
  `[bytes ${String(from)} to ${String(to)} were dropped: the agent printed more than supervisor.outputBytesMax]`;

export function tailOutput(sessions: string, session: string): OutputTail {
  const folder = sessionFolder(sessions, session);
  // Beside a terminal, `out` is what was read off its screen.
  const out = existsSync(folder.terminal) ? folder.terminal : folder.out;
  const tail = spoolTail({ ...folder, out }, ["out", "err"], { quotaBytes: Infinity });
  const spoolOf = ({ file }: Skip): Spool => (file === folder.err ? "err" : "out");
  return {
    isHere: () => wasPrepared(folder),
    next: () => {
      const lines: OutputLine[] = [];
      for (;;) {
        const found = tail.next(undefined);
        const gap = tail.skipped();
        if (gap !== undefined && gap.to > gap.from) lines.push({ from: spoolOf(gap), text: gapText(gap) });
        if (typeof found === "string") return lines;
        for (const { line, spool } of found) lines.push({ from: spool, text: line.text });
      }
    },
    rest: () => tail.halves().map(({ line, spool }) => ({ from: spool, text: line.text })),
  };
}
