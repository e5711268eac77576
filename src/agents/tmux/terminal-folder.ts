import { appendFileSync, statSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";

/** What is on disk about a session in a terminal, beside what is there of every kept session. */
export interface TerminalFolder {
  readonly session: string;
  /** `out` is what was received, as signals, for the one that listens. */
  readonly kept: SessionFolder;
  /** Every byte that the program wrote to its terminal, by tmux. */
  readonly raw: string;
  /** There once the program was asked to leave because its turn was over. */
  readonly left: string;
  /** Who writes down what is received. */
  readonly writer: string;
  /** Records of what was said to the program. */
  readonly said: string;
  /** The prompt that was learned of the program. */
  readonly prompt: string;
}

export function terminalFolder(sessions: string, session: string): TerminalFolder {
  const kept = sessionFolder(sessions, session);
  const file = (name: string): string => path.join(kept.folder, name);
  return {
    session,
    kept,
    raw: kept.terminal,
    left: file("left"),
    writer: file("writer"),
    said: file("said"),
    prompt: file("prompt"),
  };
}

/** What the keeper writes to the terminal after the program's last word. A terminal shows nothing of it. */
export const endMark = ({ kept }: TerminalFolder): string => `\u001b]7007;${kept.mark}\u0007`;

export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What a session was started for, as it was written down before its start. */
export interface Ordered {
  readonly task?: string;
  readonly conversation?: string;
  /** Whether that conversation is one that was begun before. */
  readonly goesOn?: boolean;
}

/** Undefined for a session that was never prepared here. */
export function readOrdered({ kept }: TerminalFolder): Ordered | undefined {
  const text = plainText(kept.order, { bytesMax: RECORD_BYTES_MAX });
  return text === undefined ? undefined : (JSON.parse(text) as Ordered);
}

export const appendLines = (file: string, lines: readonly string[]): void =>
  appendFileSync(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
