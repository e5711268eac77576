import { closeSync, openSync, readSync } from "node:fs";
import { pause } from "../pause.ts";
import { type ProcessRow, readAllProcesses } from "../process-table.ts";
import type { World } from "../../model/world.ts";

/** What the environment of a process shows. `null`: it cannot be read. */
interface MarksOf {
  readonly marks: readonly string[];
  /** It shows no environment at all. */
  readonly isBare: boolean;
}

interface Known {
  readonly startedAt: string;
  readonly firstSeen: number;
  readonly readAt: number;
  readonly found: MarksOf | null;
}

/** A process may be in the middle of becoming another program: it shows its own environment only after that. */
const SETTLED_MS = 10_000;
const KEPT_MS_MAX = 30_000;
/** Of the time that a process was known, so much may pass until it is read again. */
const KEPT_PART = 4;

/**
 * Remembers whose marks processes bear, by pid and start time. To read the environments of all processes at each look
 * is the dearest part of looking, and nearly all of them are the same as before. Only a process that was known for a
 * while is remembered, and longer the longer it was known.
 */
export class KnownMarks {
  #known = new Map<number, Known>();
  readonly #read: (pid: number) => MarksOf | null;

  constructor(read: (pid: number) => MarksOf | null) {
    this.#read = read;
  }

  /** Of every process of one look; those that are gone are forgotten. */
  of(rows: readonly ProcessRow[], now: number): ReadonlyMap<number, MarksOf | null> {
    const next = new Map<number, Known>();
    for (const row of rows) next.set(row.pid, this.#look(row, now));
    this.#known = next;
    return new Map([...next].map(([pid, { found }]) => [pid, found]));
  }

  #look({ pid, startedAt }: ProcessRow, now: number): Known {
    const before = this.#known.get(pid);
    const same = before?.startedAt === startedAt ? before : undefined;
    const firstSeen = Math.min(same?.firstSeen ?? now, now);
    if (same !== undefined && now >= same.readAt && now - same.readAt < keptMs(same)) return same;
    return { startedAt, firstSeen, readAt: now, found: this.#read(pid) };
  }
}

function keptMs({ firstSeen, readAt }: Known): number {
  const knownMs = readAt - firstSeen;
  return knownMs < SETTLED_MS ? 0 : Math.min(knownMs / KEPT_PART, KEPT_MS_MAX);
}

/** Every process that can be seen at one instant, with the marks that Holdfast put into its environment. */
export interface Surroundings {
  /** Those that live, without the calling process. */
  readonly rows: readonly ProcessRow[];
  /** `NAME=value`, of those that bear any. Where the system shows nobody's environment, nobody bears one. */
  readonly marks: ReadonlyMap<number, readonly string[]>;
  /** Processes that show no environment at all: in the middle of an `exec`, or without one for good. */
  readonly bare: ReadonlySet<number>;
}

export function lookAround(): Surroundings | "unknown" {
  const all = readAllProcesses();
  if (all === "unknown") return "unknown";
  const rows = all.filter((row) => !row.zombie && row.pid !== process.pid);
  const marks = new Map<number, readonly string[]>();
  const bare = new Set<number>();
  const programs = rows.filter((row) => !isKernelThread(row));
  for (const [pid, found] of known.of(programs, performance.now())) {
    if (found?.isBare === true) bare.add(pid);
    if (found !== null && found.marks.length > 0) marks.set(pid, found.marks);
  }
  return { rows, marks, bare };
}

const KERNEL_THREADS = 2;

/** The kernel's own processes have no environment. */
const isKernelThread = ({ pid, parent }: ProcessRow): boolean =>
  process.platform === "linux" && (pid === KERNEL_THREADS || parent === KERNEL_THREADS);

const known = new KnownMarks((pid) => {
  const environment = environmentOf(pid);
  return environment === null ? null : { marks: marksIn(environment), isBare: environment.length === 0 };
});

/**
 * A look that begins after it was asked for. Looking is dear where there are many processes, so the one that asks
 * meanwhile shares it: two hundred sessions that end at once look around as often as one. And looks keep a distance in
 * proportion to what they take, so that on a crowded machine they leave most of the time to others.
 */
export function nextLook(world: World): Promise<Surroundings | "unknown"> {
  const waitMs = Math.min(apartMs, Math.max(0, lookedAt + apartMs - performance.now()));
  asked ??= pause(world, waitMs).then(() => {
    asked = null;
    const beganAt = performance.now();
    const found = lookAround();
    lookedAt = performance.now();
    apartMs = Math.min(Math.max(APART_MS, (lookedAt - beganAt) * APART_TIMES), APART_MS_MAX);
    return found;
  });
  return asked;
}

const APART_MS = 20;
const APART_TIMES = 5;
const APART_MS_MAX = 500;
let apartMs = APART_MS;
let asked: Promise<Surroundings | "unknown"> | null = null;
let lookedAt = -Infinity;

export const isBare = (pid: number): boolean => environmentOf(pid)?.length === 0;

/** The marks of one process, as they were when its program began. */
export const marksOf = (pid: number): readonly string[] => marksIn(environmentOf(pid) ?? Buffer.alloc(0));

/** Every mark of Holdfast's begins so. */
const PREFIX = "HOLDFAST_";

function marksIn(environment: Buffer): string[] {
  const found: string[] = [];
  let at = environment.indexOf(PREFIX);
  while (at !== -1) {
    const end = environment.indexOf(0, at);
    if (end === -1) break;
    if (at === 0 || environment[at - 1] === 0) found.push(environment.toString("latin1", at, end));
    at = environment.indexOf(PREFIX, end);
  }
  return found;
}

/** Used again for each process: what was read is looked through before the next one is. */
let page = Buffer.alloc(64 * 1024);

function environmentOf(pid: number): Buffer | null {
  if (process.platform !== "linux") return null;
  let file: number | undefined;
  try {
    file = openSync(`/proc/${String(pid)}/environ`, "r");
    let length = 0;
    for (;;) {
      const read = readSync(file, page, length, page.length - length, null);
      if (read === 0) return page.subarray(0, length);
      length += read;
      if (length === page.length) page = Buffer.concat([page], 2 * length);
    }
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
