import { existsSync, rmSync } from "node:fs";
import { plainText, readPlainAt, RECORD_BYTES_MAX, refusalFault } from "../../../files/plain-file.ts";
import { redactAll } from "../../../model/text/redact.ts";
import type { Signal } from "../../../model/agent/signals.ts";
import { isSameProcess, type ProcessIdentity, type World } from "../../../model/world.ts";
import type { LineReader } from "../../keeper/spool/read-spool.ts";
import { sifted } from "../../keeper/spool/sifting.ts";
import { writeWhole } from "../../keeper/session-folder.ts";
import { toSignal } from "../../to-signal.ts";
import { appendLines, sizeOf, type TerminalFolder } from "../terminal-folder.ts";

/**
 * What was received from a terminal, one line each, in the order in which it was first received.
 *
 * 1. A screen cannot be looked at again later, so what it showed is written down before anybody is informed of it, and
 *    who listens reads only what is written: again from the same place, the same comes again.
 * 2. Each line carries how far its writer had come, so that the next writer goes on after the last whole line.
 * 3. One process writes at a time.
 */
export interface Progress {
  /** How far the raw spool was read. */
  readonly raw: number;
  readonly ready: boolean;
  /** Whether its conversation was reported. */
  readonly named: boolean;
  /** The dialog that is open and reported. */
  readonly ask: string | null;
  /** Digest of the last limit that was reported. */
  readonly limit: string | null;
  /** The last of the program's new tries that was reported. */
  readonly retry: number | null;
  /** The turn is over, and so is the program's work. */
  readonly done: boolean;
  /** Nothing more will be received. */
  readonly end: boolean;
}

export const NOTHING_RECEIVED: Progress = {
  raw: 0,
  ready: false,
  named: false,
  ask: null,
  limit: null,
  retry: null,
  done: false,
  end: false,
};

const TAIL_BYTES = 64 * 1024;

export function writeReceived(
  { kept }: TerminalFolder,
  entries: readonly { readonly signal?: Signal; readonly progress: Progress }[],
): void {
  if (entries.length > 0 && existsSync(kept.folder))
    appendLines(
      kept.out,
      entries.map(({ signal, progress }) =>
        JSON.stringify({ ...(signal && { s: redactAll(signal, sifted) }), p: progress }),
      ),
    );
}

/** Lines that only show how far somebody had come, and a line that was cut by a death, are no signals. */
export const receiptReader = (): LineReader => ({
  read: ({ text, kind }) => {
    const line = kind === "whole" ? parseLine(text) : undefined;
    return line?.s === undefined ? [] : [toSignal(line.s)];
  },
});

/** Where the last writer had come to; a line that its death cut is closed first. */
export function readProgress({ kept }: TerminalFolder, mend = false): Progress {
  const tail = tailOf(kept.out);
  if (tail === undefined) return NOTHING_RECEIVED;
  if (mend && tail !== "" && !tail.endsWith("\n")) appendLines(kept.out, [""]);
  const lines = tail.split("\n");
  for (const text of lines.toReversed()) {
    const progress = parseLine(text)?.p;
    if (progress !== undefined) return { ...NOTHING_RECEIVED, ...progress };
  }
  return NOTHING_RECEIVED;
}

function parseLine(text: string): { s?: unknown; p?: Progress } | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

function tailOf(file: string): string | undefined {
  const read = readPlainAt(file, { from: Math.max(0, sizeOf(file) - TAIL_BYTES), bytesMax: TAIL_BYTES });
  if (read.kind === "refused") throw refusalFault(file, read);
  return read.kind === "absent" ? undefined : read.bytes.toString("utf8");
}

/** Makes this process the writer unless another that lives is. */
export function becomeWriter(world: World, terminal: TerminalFolder): boolean {
  if (!existsSync(terminal.kept.folder)) return false;
  const holder = readWriter(terminal);
  if (holder !== undefined && !isSelf(world, holder) && world.liveness(holder) !== "gone") return false;
  writeWhole(terminal.writer, JSON.stringify(world.self), world.id("draft"));
  return isWriter(world, terminal);
}

export function isWriter(world: World, terminal: TerminalFolder): boolean {
  const holder = readWriter(terminal);
  return holder !== undefined && isSelf(world, holder);
}

export function resignAsWriter(world: World, terminal: TerminalFolder): void {
  if (isWriter(world, terminal)) rmSync(terminal.writer, { force: true });
}

const isSelf = ({ self }: World, other: ProcessIdentity): boolean => isSameProcess(self, other);

function readWriter({ writer }: TerminalFolder): ProcessIdentity | undefined {
  try {
    const text = plainText(writer, { bytesMax: RECORD_BYTES_MAX });
    return text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
  } catch {
    return undefined;
  }
}
