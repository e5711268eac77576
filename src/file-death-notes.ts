import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { plainText, RECORD_BYTES_MAX } from "./files/plain-file.ts";
import { errorText } from "./model/fault.ts";
import { DEATH_KINDS, type Restarts } from "./model/host/supervision.ts";
import { toExcerpt } from "./model/agent/signals.ts";
import type { World } from "./model/world.ts";
import { TurnFile } from "./turn-file.ts";
import {
  isOfTurn,
  type DeathKind,
  type DeathNote,
  type DeathNotes,
} from "./runtime/supervisor/death-notes.ts";

const noteSchema = z.object({
  id: z.string(),
  run: z.string(),
  how: z.enum(DEATH_KINDS),
  text: z.string(),
  at: z.number(),
});

/** A run that is never claimed here again leaves its notes: beyond these the oldest are dropped (I7). */
const NOTES_MAX = 200;

export interface FileDeathNotes extends DeathNotes {
  close(): void;
}

/**
 * Notes as files, one each, in a folder beside the sessions. In whose turn something was begun follows from the
 * asynchronous context in which it runs; while something is decided it also stands in a file (see `turn-file.ts`), for
 * ends of which the process itself learns nothing. The process is only watched, so that a program that embeds Holdfast
 * ends as it would without it.
 */
export function fileDeathNotes(world: World, folder: string): FileDeathNotes {
  const turns = new AsyncLocalStorage<string>();
  let isNoted = false;
  const note = (run: string, how: DeathKind, thrown: unknown): void => {
    if (isNoted) return;
    isNoted = true;
    writeNote(world, folder, { run, how, text: toExcerpt(errorText(thrown).slice(0, 2_000)) });
  };
  const inTurn = (how: DeathKind, thrown: unknown): void => {
    const run = turns.getStore();
    if (run !== undefined && isOfTurn(thrown)) note(run, how, thrown);
    // The exit that follows an exception is no death of its own.
    isNoted = true;
  };
  const unwatch = watchProcess(inTurn);
  const turnFile = new TurnFile(folder, world.self);
  return {
    within: (run, work) => turns.run(run, work),
    turn: (run, decide) => turnFile.during(run, decide),
    note,
    noteAbort(pid, signal) {
      const run = turnFile.take(pid);
      if (run !== null) writeNote(world, folder, { run, how: "abort", text: signal });
    },
    of: (run) => read(folder).filter((one) => one.run === run),
    taken: (notes) => {
      for (const { id } of notes) rmSync(fileOf(folder, id), { force: true });
    },
    restarts: {
      read: () => restartsIn(folder),
      write: (restarts) => writeRestarts(world, folder, restarts),
    },
    close() {
      unwatch();
      turnFile.close();
    },
  };
}

function writeNote(world: World, folder: string, death: Pick<DeathNote, "run" | "how" | "text">): void {
  try {
    world.crashPoint("deaths.note.before");
    write(folder, { id: world.id("death"), ...death, at: world.now() });
    world.crashPoint("deaths.note.after");
  } catch {
    // The process is about to end, and what it ends by must not be hidden by what cannot be written.
  }
}

function watchProcess(inTurn: (how: DeathKind, thrown: unknown) => void): () => void {
  const thrown = (error: unknown): void => inTurn("exception", error);
  const exited = (code: number): void => inTurn("exit", `process.exit(${String(code)})`);
  const abort = process.abort.bind(process);
  const aborted = (): never => {
    inTurn("abort", "process.abort()");
    return abort();
  };
  process.on("uncaughtExceptionMonitor", thrown);
  process.on("exit", exited);
  process.abort = aborted;
  return () => {
    process.off("uncaughtExceptionMonitor", thrown);
    process.off("exit", exited);
    if (process.abort === aborted) process.abort = abort;
  };
}

/** Not among the notes. */
const RESTARTS_FILE = "restarts";
const restartsSchema = z.object({ inARow: z.number().int(), nextAt: z.number().nullable() });

const textOf = (file: string): string => plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "";

/** What a watchdog counts of a supervisor that did not live; null where there is nothing to count. */
export function restartsIn(folder: string): Restarts | null {
  try {
    return restartsSchema.parse(JSON.parse(textOf(path.join(folder, RESTARTS_FILE))));
  } catch {
    return null;
  }
}

function writeRestarts(world: World, folder: string, restarts: Restarts | null): void {
  const file = path.join(folder, RESTARTS_FILE);
  try {
    if (restarts === null) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.draft`, JSON.stringify(restarts), { mode: 0o600 });
    world.crashPoint("watchdog.restarts.before");
    renameSync(`${file}.draft`, file);
    world.crashPoint("watchdog.restarts.after");
  } catch {
    // A watchdog on a full disk still watches; only its successor begins to count again.
  }
}

const fileOf = (folder: string, id: string): string => path.join(folder, `${id}.json`);

/** Whole or not at all; ids sort by age. */
function write(folder: string, note: DeathNote): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = namesIn(folder);
  for (const name of names.slice(0, Math.max(0, names.length - NOTES_MAX + 1)))
    rmSync(path.join(folder, name), { force: true });
  const draft = `${fileOf(folder, note.id)}.draft`;
  writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
  renameSync(draft, fileOf(folder, note.id));
}

function read(folder: string): DeathNote[] {
  return namesIn(folder).flatMap((name) => {
    try {
      return [noteSchema.parse(JSON.parse(textOf(path.join(folder, name))))];
    } catch {
      // Taken up by another meanwhile, or no note: nobody is charged with what cannot be read.
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}
