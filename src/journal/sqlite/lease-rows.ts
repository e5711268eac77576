import type { DatabaseSync } from "node:sqlite";
import { isUnchanged } from "../append-rules.ts";
import type { ClaimOutcome, Lease, Owner } from "../journal.ts";
import { rowDamaged, sealOf } from "../seal.ts";
import { absence } from "./absence.ts";
import { integer, integerOrNull, text, textOrNull, type Row } from "./row-values.ts";
import { SQL } from "./statements.ts";

const leaseSeal = (address: string, epoch: number, owner: Owner | null): string =>
  sealOf([
    address,
    epoch,
    owner?.id ?? null,
    owner?.process.host ?? null,
    owner?.process.pid ?? null,
    owner?.process.startedAt ?? null,
  ]);
const ownerSeal = (owner: string, beats: number): string => sealOf([owner, beats]);

/** The holder named in a lease's row, after its seal was checked. */
export function checkLease(address: string, row: Row): Owner | null {
  const id = textOrNull(row, "owner");
  const [host, pid, startedAt] = [
    textOrNull(row, "host"),
    integerOrNull(row, "pid"),
    textOrNull(row, "started_at"),
  ];
  if (row["lease_seal"] !== sealOf([address, integer(row, "epoch"), id, host, pid, startedAt]))
    throw rowDamaged("leases", address, "does not match its seal");
  if (id === null || host === null || pid === null || startedAt === null) return null;
  return { id, process: { host, pid, startedAt } };
}

export function checkOwner(row: Row): { owner: string; beats: number } {
  const found = { owner: text(row, "owner"), beats: integer(row, "beats") };
  if (row["owner_seal"] !== ownerSeal(found.owner, found.beats))
    throw rowDamaged("owners", found.owner, "does not match its seal");
  return found;
}

export interface LeaseRows {
  lease(address: string): Lease | null;
  /** Inside a transaction, like all below: a claim, or with `seen` a takeover from the holder seen then. */
  claim(claim: { readonly address: string; readonly owner: Owner; readonly seen?: Lease }): ClaimOutcome;
  release(address: string, epoch: number): void;
  beat(ownerId: string): void;
}

/** `changed` is told every address whose lease is written. */
export function leaseRows(db: DatabaseSync, changed: (address: string) => void): LeaseRows {
  const leaseRow = db.prepare(SQL.lease);
  const ownerRow = db.prepare(SQL.owner);
  const upsertLease = db.prepare(SQL.upsertLease);
  const insertOwner = db.prepare(SQL.insertOwner);
  const updateOwner = db.prepare(SQL.updateOwner);
  const forgetOwner = db.prepare(SQL.forgetOwner);
  const absent = absence(db);

  const lease = (address: string): Lease | null => {
    const row = leaseRow.get(address);
    if (row === undefined) {
      absent.ofLease(address);
      return null;
    }
    const owner = checkLease(address, row);
    const beats = owner === null ? 0 : checkOwner(row).beats;
    return { address, epoch: integer(row, "epoch"), owner, beats };
  };
  const put = (address: string, epoch: number, owner: Owner | null): void => {
    changed(address);
    const { host = null, pid = null, startedAt = null } = owner?.process ?? {};
    upsertLease.run(
      address,
      epoch,
      owner?.id ?? null,
      host,
      pid,
      startedAt,
      leaseSeal(address, epoch, owner),
    );
  };

  return {
    lease,
    claim({ address, owner, seen }) {
      const current = lease(address);
      const held =
        current !== null && (seen === undefined ? current.owner !== null : !isUnchanged(current, seen));
      if (held) return { kind: "held", lease: current };
      const epoch = (current?.epoch ?? 0) + 1;
      put(address, epoch, owner);
      insertOwner.run(owner.id, ownerSeal(owner.id, 0));
      forgetOwner.run(current?.owner?.id ?? null);
      return { kind: "claimed", epoch, from: current };
    },
    release(address, epoch) {
      const current = lease(address);
      if (current === null || current.owner === null || current.epoch !== epoch) return;
      put(address, epoch, null);
      forgetOwner.run(current.owner.id);
    },
    beat(ownerId) {
      const row = ownerRow.get(ownerId);
      if (row === undefined) return;
      const beats = checkOwner(row).beats + 1;
      updateOwner.run(beats, ownerSeal(ownerId, beats), ownerId);
    },
  };
}
