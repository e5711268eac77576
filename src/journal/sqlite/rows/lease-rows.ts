import type { DatabaseSync } from "node:sqlite";
import { isUnchanged } from "../../append-rules.ts";
import type { ClaimOutcome, Holder, Lease, Owner } from "../../journal.ts";
import { unlessDamaged } from "../../seal.ts";
import { absence } from "../mark/absence.ts";
import { ownerRows, type OwnerRows } from "./owner-rows.ts";
import { sealed } from "./sealed.ts";
import { SQL } from "../statements.ts";

export interface LeaseRows extends Pick<OwnerRows, "beat" | "sighting" | "noteSighting"> {
  lease(address: string): Lease | null;
  holders(): Holder[];
  /** Inside a transaction, like all below: a claim, or with `seen` a takeover from the holder seen then. */
  claim(claim: { readonly address: string; readonly owner: Owner; readonly seen?: Lease }): ClaimOutcome;
  release(address: string, epoch: number): void;
}

/** `changed` receives every address whose lease is written. */
export function leaseRows(
  db: DatabaseSync,
  now: () => number,
  changed: (address: string) => void,
): LeaseRows {
  const upsertLease = db.prepare(SQL.upsertLease);
  const forgetOwner = db.prepare(SQL.forgetOwner);
  const reading = leaseReading(db, now);
  const owners = ownerRows(db, now);
  const put = (address: string, epoch: number, owner: Owner | null): void => {
    changed(address);
    const { host = null, pid = null, startedAt = null } = owner?.process ?? {};
    const seal = sealed.leaseSeal(address, epoch, owner);
    upsertLease.run(address, epoch, owner?.id ?? null, host, pid, startedAt, seal);
  };

  return {
    ...reading,
    claim({ address, owner, seen }) {
      const current = reading.lease(address);
      const held =
        current !== null && (seen === undefined ? current.owner !== null : !isUnchanged(current, seen));
      if (held) return { kind: "held", lease: current };
      const epoch = (current?.epoch ?? 0) + 1;
      put(address, epoch, owner);
      owners.insert(owner);
      forgetOwner.run(current?.owner?.id ?? null);
      return { kind: "claimed", epoch, from: current };
    },
    release(address, epoch) {
      const current = reading.lease(address);
      if (current === null || current.owner === null || current.epoch !== epoch) return;
      put(address, epoch, null);
      forgetOwner.run(current.owner.id);
    },
    beat: (ownerId) => owners.beat(ownerId),
    sighting: (of) => owners.sighting(of),
    noteSighting: (sighting, lease) => owners.noteSighting(sighting, lease),
  };
}

function leaseReading(db: DatabaseSync, now: () => number): Pick<LeaseRows, "lease" | "holders"> {
  const leaseRow = db.prepare(SQL.lease);
  const holderRows = db.prepare(SQL.holders);
  const absent = absence(db);
  return {
    lease(address) {
      const row = leaseRow.get(address);
      if (row === undefined) {
        absent.ofLease(address);
        return null;
      }
      return sealed.leaseIn(address, row);
    },
    holders: () => holderRows.all().flatMap((row) => unlessDamaged(() => sealed.holderIn(row, now()))),
  };
}
