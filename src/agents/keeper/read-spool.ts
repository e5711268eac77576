import { closeSync, openSync, readSync, statSync } from "node:fs";
import { constants } from "node:os";
import type { ExitSignal, Signal } from "../../model/signals.ts";
import type { World } from "../../model/world.ts";
import type { Listening } from "../listening.ts";
import { probeStarted } from "./probe-session.ts";
import { readExitStatus, readIdentity, wasPrepared, type SessionFolder } from "./session-folder.ts";
import { lineScanner, type LineScanner, type SpoolLine } from "./spool-lines.ts";

export interface SpoolReading {
  readonly world: World;
  readonly session: SessionFolder;
  /** What a line means; undefined for a line without meaning, such as an empty one. */
  readonly signalOf: (line: SpoolLine) => Signal | undefined;
  /** False while the spool may grow although the agent is over, since somebody still writes down what it said. */
  readonly settled?: () => boolean;
}

const POLL_MS = 50;
const CHUNK_BYTES_MAX = 256 * 1024;
const BATCH_SIGNALS_MAX = 200;
/** An exit status may be a moment behind the death it tells of, so one look without it proves nothing. */
const DEATHS_SEEN_MIN = 2;

/**
 * Reads the agent's spool from a byte offset, whoever wrote the offset down, until the agent's exit.
 *
 * 1. Whether the agent is over is looked up before its spool is read, so that its last word is never missed.
 * 2. The cursor is the offset after the last line handed over: what follows it was never heard, what precedes it was.
 * 3. The exit is the last signal: what a process it left behind writes after it is not waited for.
 *    Listened to again from the end, a session that is over yields its exit again.
 */
export async function readSpool(reading: SpoolReading, cursor: string, listening: Listening): Promise<void> {
  const scanner = lineScanner(Number(cursor));
  const rest = restUntilClosed(reading.world, listening);
  const watch = exitWatch(reading);
  while (!listening.closed()) {
    const over = watch();
    const bytes = readChunk(reading.session.out, scanner.readTo(), over?.size ?? Infinity);
    if (bytes === "failed") await rest();
    else if (bytes.length > 0) {
      if (!(await handOver(reading, scanner.push(bytes), listening))) return;
    } else if (over === undefined) await rest();
    else {
      const signals = [...lastWords(reading, scanner), over.exit];
      await listening.hear({ signals, cursor: String(scanner.readTo()) });
      return;
    }
  }
}

interface Over {
  readonly exit: ExitSignal;
  /** Of the spool when the end was seen. */
  readonly size: number;
}

/** Answers undefined until the agent is seen to be over, and the same from then on. */
function exitWatch(reading: SpoolReading): () => Over | undefined {
  let deathsSeen = 0;
  let over: Over | undefined;
  return () => {
    if (over !== undefined) return over;
    const exit = reading.settled?.() === false ? undefined : exitOf(reading);
    deathsSeen = exit === undefined ? 0 : deathsSeen + 1;
    if (exit !== undefined && (exit.how !== "vanished" || deathsSeen >= DEATHS_SEEN_MIN))
      over = { exit, size: sizeOf(reading.session.out) };
    return over;
  };
}

async function handOver(
  reading: SpoolReading,
  lines: readonly SpoolLine[],
  listening: Listening,
): Promise<boolean> {
  for (let from = 0; from < lines.length; from += BATCH_SIGNALS_MAX) {
    const part = lines.slice(from, from + BATCH_SIGNALS_MAX);
    const signals = part.map(reading.signalOf).filter((signal) => signal !== undefined);
    const cursor = String(part.at(-1)?.end);
    if (signals.length > 0 && !(await listening.hear({ signals, cursor }))) return false;
  }
  return !listening.closed();
}

function lastWords(reading: SpoolReading, scanner: LineScanner): readonly Signal[] {
  const half = scanner.half();
  const signal = half === undefined ? undefined : reading.signalOf(half);
  return signal === undefined ? [] : [signal];
}

/** Undefined while the agent works or may be about to begin, and while it is unknown whether it does. */
function exitOf({ world, session }: SpoolReading): ExitSignal | undefined {
  if (readIdentity(session).kind === "none" && wasPrepared(session)) return undefined;
  const { kind } = probeStarted(world, session);
  if (kind === "alive" || kind === "unknown") return undefined;
  const status = readExitStatus(session);
  return status === undefined ? { kind: "exit", how: "vanished" } : exitOfStatus(status);
}

/** A shell tells a death by signal as 128 plus its number, and cannot tell it from an exit with that code. */
export function exitOfStatus(status: number): ExitSignal {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return signal === undefined
    ? { kind: "exit", how: "code", code: status }
    : { kind: "exit", how: "signal", signal };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What stands between two offsets, as far as it is there. A read that failed is tried again; nothing is skipped over it. */
function readChunk(file: string, from: number, to: number): Buffer | "failed" {
  let descriptor: number | undefined;
  try {
    const length = Math.min(CHUNK_BYTES_MAX, to - from, sizeOf(file) - from);
    if (length <= 0) return Buffer.alloc(0);
    descriptor = openSync(file, "r");
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, from));
  } catch {
    return "failed";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function restUntilClosed(world: World, listening: Listening): () => Promise<void> {
  let wake: () => void = () => undefined;
  listening.onClose(() => {
    wake();
  });
  return () =>
    new Promise((resolve) => {
      const cancel = world.timer(POLL_MS, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
}
