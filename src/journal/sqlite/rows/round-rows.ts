import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { rowDamaged } from "../../seal.ts";
import { inOneLook } from "../one-look.ts";
import { integer, text } from "../../row-values.ts";
import { ROUND_SQL } from "../statements.ts";

/** An event that stands in a round: its run is known by number. */
export interface RoundEvent {
  readonly runKey: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly hash: string;
  readonly data: string;
}

/** What rounds hold, by the number of the run, in order. */
export type InRounds = ReadonlyMap<number, readonly RoundEvent[]>;

const NO_ROUNDS: InRounds = new Map();

/** One line per event. Types and hashes hold no blanks, JSON text no line breaks, and data comes last. */
export const roundLine = ({ runKey, seq, at, type, hash: own, data }: RoundEvent): string =>
  `${String(runKey)} ${String(seq)} ${String(at)} ${type} ${own} ${data}\n`;

/** Covers the number too, so that a round cannot stand in another's place. */
export const sealOfRound = (n: number, body: string): string =>
  hash("sha256", `${String(n)}\n${body}`).slice(0, 16);

export interface RoundRows {
  isEmpty(): boolean;
  /** Every round, checked: numbers begin with 1 and leave no gap, and each fits its seal. */
  read(): InRounds;
  /** Bytes in all rounds, and the number of the last. */
  size(): { readonly bytes: number; readonly last: number };
}

export function roundRows(db: DatabaseSync): RoundRows {
  const any = db.prepare(ROUND_SQL.anyRound);
  const all = db.prepare(ROUND_SQL.rounds);
  const size = db.prepare(ROUND_SQL.roundsSize);
  return {
    isEmpty: () => any.get() === undefined,
    read() {
      const found = new Map<number, RoundEvent[]>();
      let expected = 1;
      for (const row of all.iterate()) {
        const n = integer(row, "n");
        const body = text(row, "body");
        if (n !== expected) throw rowDamaged("rounds", String(expected), "is missing");
        if (row["seal"] !== sealOfRound(n, body))
          throw rowDamaged("rounds", String(n), "does not match its seal");
        for (const line of body.split("\n")) if (line !== "") addEvent(found, readLine(n, line));
        expected += 1;
      }
      return found;
    },
    size() {
      const row = size.get() ?? {};
      return { bytes: integer(row, "bytes"), last: integer(row, "last") };
    },
  };
}

function addEvent(found: Map<number, RoundEvent[]>, event: RoundEvent): void {
  const before = found.get(event.runKey);
  if (before === undefined) found.set(event.runKey, [event]);
  else before.push(event);
}

const LINE = /^(\d+) (\d+) (\d+) (\S+) (\S+) /;

function readLine(n: number, line: string): RoundEvent {
  const [head, runKey, seq, at, type = "", own = ""] = LINE.exec(line) ?? [];
  if (head === undefined) throw rowDamaged("rounds", String(n), "holds a line that is no event");
  return {
    runKey: Number(runKey),
    seq: Number(seq),
    at: Number(at),
    type,
    hash: own,
    data: line.slice(head.length),
  };
}

/**
 * Several statements that see the store at one instant, where rounds are there and might be emptied in between. They
 * are read when they are asked for: damage to them is no damage to what is in place.
 */
export function asOneLook<T>(db: DatabaseSync, rounds: RoundRows, look: (inRounds: () => InRounds) => T): T {
  if (rounds.isEmpty()) return look(() => NO_ROUNDS);
  let read: InRounds | null = null;
  return inOneLook(db, () => look(() => (read ??= rounds.read())));
}
