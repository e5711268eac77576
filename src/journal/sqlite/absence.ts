import type { DatabaseSync } from "node:sqlite";
import { rowDamaged } from "../seal.ts";
import { SQL } from "./statements.ts";

/**
 * Makes sure that what an index does not know is not there. One changed byte in an index hides a row from whoever
 * asks by name: a run would look as if it had never been, and a lease as if nobody held it. Misses are rare, so the
 * table itself is read through on each.
 */
export interface Absence {
  ofRun(run: string): void;
  ofLease(address: string): void;
}

export function absence(db: DatabaseSync): Absence {
  const run = db.prepare(SQL.runByScan);
  const lease = db.prepare(SQL.leaseByScan);
  return {
    ofRun(name) {
      if (run.get(name) !== undefined) throw hidden("runs", name);
    },
    ofLease(address) {
      if (lease.get(address) !== undefined) throw hidden("leases", address);
    },
  };
}

const hidden = (table: string, key: string) => rowDamaged(table, key, "is there but missing from its index");
