import type { DatabaseSync } from "node:sqlite";
import { isFault, type FaultCode } from "../../../model/fault.ts";
import type { World } from "../../../model/world.ts";
import type { AppendGuards } from "./append-guards.ts";
import type { LogRoom } from "../log/log-room.ts";
import type { Rounds } from "./rounds.ts";
import { toFault } from "../sqlite-fault.ts";

/** One change, made inside a transaction that it may share with others. */
export interface Change {
  /** Names its crash points, `journal.<point>.before` and `.after`; null for a change nobody counts on. */
  readonly point: string | null;
  /** Assesses and writes; everything it throws undoes only itself. */
  work(): unknown;
}

export type BatchResult =
  /** `outcomes[i]` belongs to the i-th change. */
  | { readonly kind: "committed"; readonly outcomes: readonly ChangeOutcome[] }
  /** Nothing was acknowledged: every change of the batch failed for the same reason. */
  | { readonly kind: "failed"; readonly error: Error };

export type ChangeOutcome =
  { readonly kind: "done"; readonly value: unknown } | { readonly kind: "threw"; readonly error: Error };

/** These speak of the store as a whole; any other error belongs to the change that threw it. */
const STORE_WIDE: readonly FaultCode[] = [
  "store_unavailable",
  "store_gone",
  "store_full",
  "store_readonly",
  "store_failed",
  "store_busy",
  "store_foreign",
];
const isStoreWide = (error: Error): boolean => isFault(error) && STORE_WIDE.includes(error.code);

export interface CommitterOptions {
  readonly db: DatabaseSync;
  readonly file: string;
  readonly world: World;
  /** Throws unless the file is still the one that was opened. */
  readonly checkFile: () => void;
  readonly guards: AppendGuards;
  readonly rounds: Rounds;
  readonly room: LogRoom;
}

export type CommitBatch = (changes: readonly Change[]) => BatchResult;

/** Null where a transaction is needed, in which case nothing was written. */
export type CommitAlone = (point: string, alone: Alone<unknown>) => BatchResult | null;

/** A change as a transaction of its own; null if it wrote nothing. It calls `before` just before it writes. */
export type Alone<T> = (before: () => void) => T | null;

/** Commits a change that is a transaction of its own, between the same crash points as any other. */
export function loneCommitter(options: CommitterOptions): CommitAlone {
  const { file, world, checkFile, guards, rounds, room } = options;
  return (point, alone) => {
    if (room.isShort) return null;
    const { before, after } = crashPointsOf(point);
    try {
      checkFile();
      const value = alone(() => world.crashPoint(before));
      if (value === null) return null;
      world.crashPoint(after);
      return { kind: "committed", outcomes: [{ kind: "done", value }] };
    } catch (thrown) {
      guards.forgetAll();
      rounds.forget();
      return { kind: "failed", error: toFault(thrown, `writing (${point})`, file) };
    }
  };
}

/**
 * Commits a batch in one transaction. A change that throws is set aside and the batch begun again without it:
 * rare, and cheaper than a savepoint around every change.
 */
export function batchCommitter(options: CommitterOptions): CommitBatch {
  const { db, file, world, checkFile, guards, rounds, room } = options;
  const forget = (): void => {
    guards.forgetAll();
    rounds.forget();
  };
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");

  /** Carries out what has no outcome yet; false if one threw and the transaction was undone. */
  const carryOut = (changes: readonly Change[], outcomes: ChangeOutcome[]): boolean => {
    let index = -1;
    for (const change of changes) {
      index += 1;
      if (outcomes[index]?.kind === "threw") continue;
      try {
        outcomes[index] = { kind: "done", value: change.work() };
      } catch (thrown) {
        const error = toFault(thrown, `writing (${change.point ?? "a sign of life"})`, file);
        if (isStoreWide(error)) throw error;
        outcomes[index] = { kind: "threw", error };
        db.exec("ROLLBACK");
        forget();
        return false;
      }
    }
    return true;
  };
  const attempt = (changes: readonly Change[], outcomes: ChangeOutcome[]): "committed" | "again" => {
    checkFile();
    begin.run();
    rounds.begin(appendsIn(changes), guards.begin());
    if (!carryOut(changes, outcomes)) return "again";
    rounds.write();
    room.makeAhead();
    const points = pointsOf(changes);
    for (const { before } of points) world.crashPoint(before);
    commit.run();
    for (const { after } of points) world.crashPoint(after);
    return "committed";
  };

  return (changes) => {
    const outcomes: ChangeOutcome[] = [];
    try {
      while (attempt(changes, outcomes) === "again");
      return { kind: "committed", outcomes };
    } catch (thrown) {
      forget();
      const error = toFault(thrown, "committing", file);
      return { kind: "failed", error: rollBack(db, file) ?? error };
    }
  };
}

const appendsIn = (changes: readonly Change[]): number =>
  changes.filter(({ point }) => point === "append").length;

interface CrashPoints {
  readonly before: string;
  readonly after: string;
}

/** By what changes are called: a few words, so that their names are made once. */
const crashPoints = new Map<string, CrashPoints>();

function crashPointsOf(point: string): CrashPoints {
  let found = crashPoints.get(point);
  if (found === undefined) {
    found = { before: `journal.${point}.before`, after: `journal.${point}.after` };
    crashPoints.set(point, found);
  }
  return found;
}

const pointsOf = (changes: readonly Change[]): ReadonlySet<CrashPoints> =>
  new Set(changes.flatMap(({ point }) => (point === null ? [] : [crashPointsOf(point)])));

/** Null if the transaction is gone, as it must be; otherwise what kept it. */
function rollBack(db: DatabaseSync, file: string): Error | null {
  try {
    if (db.isTransaction) db.exec("ROLLBACK");
    return null;
  } catch (thrown) {
    return toFault(thrown, "undoing a failed commit", file);
  }
}
