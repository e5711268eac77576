import { mkdirSync } from "node:fs";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../../files/plain-file.ts";
import type { World } from "../../../model/world.ts";
import { writeWhole } from "../../keeper/session-folder.ts";
import { textDigest } from "../../to-signal.ts";
import { isIdle, type Seen } from "../follow-turn.ts";
import type { Program } from "../programs/program.ts";
import type { TerminalFolder } from "../terminal-folder.ts";

/**
 * What is known of one text for a program, written before and after each step, so that the one that finds it after a
 * death knows what may have happened. `typing`: it may be in the line of input. `typed`: it was seen there, and Enter
 * may have been pressed. `sent`: it was seen to be taken. `lost`: it is not known to have arrived, and is not tried
 * again.
 */
export interface SaidRecord {
  readonly state: "typing" | "typed" | "sent" | "lost";
  /** How much the program had written when the typing began. */
  readonly raw: number;
  readonly at: number;
  readonly detail: string;
}

const fileOf = ({ said }: TerminalFolder, key: string): string => path.join(said, `${textDigest(key)}.json`);

export function readSaid(terminal: TerminalFolder, key: string): SaidRecord | undefined {
  const text = plainText(fileOf(terminal, key), { bytesMax: RECORD_BYTES_MAX });
  return text === undefined ? undefined : (JSON.parse(text) as SaidRecord);
}

export function writeSaid(world: World, terminal: TerminalFolder, key: string, record: SaidRecord): void {
  mkdirSync(terminal.said, { recursive: true, mode: 0o700 });
  writeWhole(fileOf(terminal, key), JSON.stringify(record), world.id("draft"));
}

/** The key under which a session's own task is said. */
export const TASK_KEY = "task";

const QUIET_MS = 250;

/** A program whose speaker died on the way need not look idle: its task may be in the line of input. */
export const mayBringTask = (program: Program, seen: Seen, terminal: TerminalFolder): boolean =>
  isIdle(program, seen) || (seen.quietMs >= QUIET_MS && readSaid(terminal, TASK_KEY) !== undefined);
