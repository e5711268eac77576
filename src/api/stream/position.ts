import { createHash } from "node:crypto";

/** Journals beside those of runs that the stream can carry, by what stands before the colon of their addresses. */
export const ALSO_KINDS = ["continuous", "mission"] as const;

/** What an address is of; null for a run's id, which has no colon. */
export function kindOf(address: string): string | null {
  const at = address.indexOf(":");
  return at < 0 ? null : address.slice(0, at);
}

export const isStreamed = (address: string): boolean => {
  const kind = kindOf(address);
  return kind === null || ALSO_KINDS.some((known) => known === kind);
};

/** How far each run had come at one moment; what a cursor is expressed against. */
export interface Base {
  readonly digest: string;
  readonly runs: readonly string[];
  readonly seqs: readonly number[];
  readonly placeOf: ReadonlyMap<string, number>;
}

export function baseOf(entries: Iterable<readonly [run: string, seq: number]>): Base {
  const rows = [...entries].filter(([, seq]) => seq > 0).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const runs = rows.map(([run]) => run);
  const seqs = rows.map(([, seq]) => seq);
  const digest = createHash("sha256").update(JSON.stringify(rows)).digest("hex").slice(0, 16);
  return { digest, runs, seqs, placeOf: new Map(runs.map((run, place) => [run, place])) };
}

export const EMPTY_BASE = baseOf([]);

const NUMBER_BASE = 36;
const text36 = (value: number): string => value.toString(NUMBER_BASE);

/**
 * A place in the journal of all runs: of each run, the last event that was seen. There is no order between runs, so
 * that a place names them all; it is written as a base, which is kept once, and what differs from it, which is little.
 */
export class Position {
  readonly base: Base;
  readonly #delta: Map<string, number>;
  #text: string | null = null;

  constructor(base: Base, delta: ReadonlyMap<string, number> = new Map()) {
    this.base = base;
    this.#delta = new Map(delta);
  }

  get deltaSize(): number {
    return this.#delta.size;
  }

  seqOf(run: string): number {
    return this.#delta.get(run) ?? this.#based(run);
  }

  #based(run: string): number {
    const place = this.base.placeOf.get(run);
    return place === undefined ? 0 : (this.base.seqs[place] ?? 0);
  }

  advance(run: string, seq: number): void {
    this.#text = null;
    if (seq === this.#based(run)) this.#delta.delete(run);
    else this.#delta.set(run, seq);
  }

  copy(): Position {
    return new Position(this.base, this.#delta);
  }

  /** Every run that it knows of. */
  *entries(): Generator<[run: string, seq: number]> {
    for (const run of this.base.runs) yield [run, this.seqOf(run)];
    for (const [run, seq] of this.#delta) if (!this.base.placeOf.has(run)) yield [run, seq];
  }

  /** As clients are given it: opaque to them. */
  get cursor(): string {
    this.#text ??= this.#publish();
    return this.#text;
  }

  #publish(): string {
    const parts = [...this.#delta].map(([run, seq]) => {
      const place = this.base.placeOf.get(run);
      return place === undefined ? `!${run}:${text36(seq)}` : `${text36(place)}:${text36(seq)}`;
    });
    return Buffer.from([this.base.digest, ...parts].join(",")).toString("base64url");
  }
}

export interface ReadCursor {
  readonly digest: string;
  /** Reads the rest, once the base is at hand; null for a cursor that was changed. */
  readonly on: (base: Base) => Position | null;
}

const CURSOR_CHARS_MAX = 128 * 1024;
const SEQ = /^[0-9a-z]{1,10}$/;

/** Null for what is no cursor of ours. */
export function readCursor(text: string): ReadCursor | null {
  if (text.length > CURSOR_CHARS_MAX || !/^[\w-]+$/.test(text)) return null;
  const [digest = "", ...parts] = Buffer.from(text, "base64url").toString("utf8").split(",");
  if (!/^[0-9a-f]{16}$/.test(digest)) return null;
  return { digest, on: (base) => positionOf(base, parts) };
}

function positionOf(base: Base, parts: readonly string[]): Position | null {
  const delta = new Map<string, number>();
  for (const part of parts) {
    const at = part.lastIndexOf(":");
    const [name, seq] = [part.slice(0, at), part.slice(at + 1)];
    const run = name.startsWith("!") ? name.slice(1) : base.runs[Number.parseInt(name, NUMBER_BASE)];
    if (at < 1 || run === undefined || !SEQ.test(seq)) return null;
    delta.set(run, Number.parseInt(seq, NUMBER_BASE));
  }
  return new Position(base, delta);
}
