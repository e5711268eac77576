import type { DatabaseSync } from "node:sqlite";
import { rowDamaged } from "../../seal.ts";
import { inOneLook } from "../one-look.ts";
import { SQL } from "../statements.ts";

/**
 * Makes sure that what an index does not know is not there. One changed byte in an index hides a row from the one that
 * asks by name: a run would look as if it had never been, and a lease as if nobody held it. Misses are rare, so the
 * table itself is read through on each.
 */
export interface Absence {
  ofRun(run: string): void;
  ofLease(address: string): void;
}

export function absence(db: DatabaseSync): Absence {
  const run = { byIndex: db.prepare(SQL.runKey), byScan: db.prepare(SQL.runByScan) };
  const lease = { byIndex: db.prepare(SQL.leaseByIndex), byScan: db.prepare(SQL.leaseByScan) };
  /** Another process may have put it there since the caller looked: it is hidden only if one look shows it to be. */
  const isHidden = ({ byIndex, byScan }: typeof run, name: string): boolean =>
    byScan.get(name) !== undefined &&
    inOneLook(db, () => byIndex.get(name) === undefined && byScan.get(name) !== undefined);
  return {
    ofRun(name) {
      if (isHidden(run, name)) throw hidden("runs", name);
    },
    ofLease(address) {
      if (isHidden(lease, address)) throw hidden("leases", address);
    },
  };
}

const hidden = (table: string, key: string) => rowDamaged(table, key, "is there but missing from its index");
