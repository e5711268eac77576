import type { DatabaseSync } from "node:sqlite";
import type { Head, ListingUpdate } from "../../journal.ts";
import { absence } from "../mark/absence.ts";
import { sealed } from "../rows/sealed.ts";
import type { MarkedEvent } from "../mark/mark-slot.ts";
import { integer, text } from "../../row-values.ts";
import { checkedHead } from "../rows/run-rows.ts";
import { SQL } from "../statements.ts";

/** All that an append is assessed by. */
export interface AppendGuard {
  readonly lease: { readonly epoch: number; readonly held: boolean };
  /** Null for a run that has no event yet. */
  readonly run: GuardedRun | null;
}

export interface GuardedRun {
  readonly key: number;
  readonly createdAt: number;
  readonly head: Head;
  readonly listingSeal: string;
  /** Known once this handle wrote it; saves computing the seal to see that nothing changed. */
  readonly listing: ListingUpdate | null;
}

/**
 * Remembers the guards of runs between transactions, which saves a lone append a query and two seals.
 *
 * States: each guard is unknown or remembered. What this handle writes it notes or forgets itself; that another
 * connection wrote is shown by `PRAGMA data_version`, asked inside every write transaction, where nobody else can
 * write any more. So a remembered guard is what the query would find:
 * 1. `begin` is called first in every write transaction.
 * 2. Everything that may undo or change a guard (a rollback, a claim, a release) forgets it.
 * 3. The number of guards is bounded.
 */
export interface AppendGuards {
  /** True if another connection wrote since the last time. */
  begin(): boolean;
  /** Null if nobody ever held a lease of the run. */
  of(run: string): AppendGuard | null;
  /** What is remembered of the run, which others may have changed meanwhile; null if nothing is. */
  remembered(run: string): AppendGuard | null;
  /** Events were written to the run, which from now on is as given. */
  appended(run: string, guard: AppendGuard & { readonly run: GuardedRun }): void;
  /** The last event written since `begin`; null if there was none. */
  lastAppended(): MarkedEvent | null;
  forget(address: string): void;
  forgetAll(): void;
}

const GUARDS_MAX = 4_096;

/** `beforeLook` makes sure that what an append is assessed by is in its place. */
export function appendGuards(db: DatabaseSync, beforeLook: () => void): AppendGuards {
  const dataVersion = db.prepare("PRAGMA data_version");
  dataVersion.setReturnArrays(true);
  const look = looking(db);
  const guards = new Map<string, AppendGuard>();
  let seenVersion = -1;
  let last: GuardedRun | null = null;
  const note = (run: string, guard: AppendGuard): void => {
    if (guards.size >= GUARDS_MAX) guards.clear();
    guards.set(run, guard);
  };
  return {
    begin() {
      last = null;
      const [version] = dataVersion.get() as unknown as [number];
      const othersWrote = version !== seenVersion;
      if (othersWrote) guards.clear();
      seenVersion = version;
      return othersWrote;
    },
    of(run) {
      const known = guards.get(run);
      if (known !== undefined) return known;
      beforeLook();
      const found = look(run);
      if (found !== null) note(run, found);
      return found;
    },
    remembered: (run) => guards.get(run) ?? null,
    appended(run, guard) {
      note(run, guard);
      last = guard.run;
    },
    lastAppended: () =>
      last === null ? null : { runKey: last.key, seq: last.head.seq, hash: last.head.hash },
    forget: (address) => void guards.delete(address),
    forgetAll: () => guards.clear(),
  };
}

function looking(db: DatabaseSync): (run: string) => AppendGuard | null {
  const guard = db.prepare(SQL.appendGuard);
  const absent = absence(db);
  return (run) => {
    const row = guard.get(run);
    if (row === undefined) {
      absent.ofLease(run);
      return null;
    }
    const lease = { epoch: integer(row, "epoch"), held: sealed.checkLease(run, row) !== null };
    if (row["run_key"] === null) {
      absent.ofRun(run);
      return { lease, run: null };
    }
    const found = {
      key: integer(row, "run_key"),
      createdAt: integer(row, "created_at"),
      head: checkedHead(run, row),
      listingSeal: text(row, "run_seal"),
      listing: null,
    };
    return { lease, run: found };
  };
}
