import type { ProcessRow } from "../process-table.ts";

/** What the environment of a process shows. `null`: it cannot be read. */
export interface MarksOf {
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
