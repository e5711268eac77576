import type { DatabaseSync } from "node:sqlite";
import { isUnchanged } from "../../append-rules.ts";
import type { ClaimOutcome, Holder, Lease, Owner, Sighting } from "../../journal.ts";
import { unlessDamaged } from "../../seal.ts";
import { absence } from "../mark/absence.ts";
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

interface OwnerRows {
  /** One that is known already keeps its beats. */
  insert(owner: Owner): void;
  beat(ownerId: string): void;
  sighting(of: Pick<Sighting, "owner" | "observer">): Sighting | null;
  noteSighting(sighting: Sighting, lease: Pick<Lease, "address" | "epoch">): void;
}

function ownerRows(db: DatabaseSync, now: () => number): OwnerRows {
  const ownerRow = db.prepare(SQL.owner);
  const insertOwner = db.prepare(SQL.insertOwner);
  const upsertPlace = db.prepare(SQL.upsertPlace);
  const updateOwner = db.prepare(SQL.updateOwner);
  const sightingRow = db.prepare(SQL.sighting);
  const upsertSighting = db.prepare(SQL.upsertSighting);
  return {
    insert({ id, process: { space = null, machine = null } }) {
      const at = now();
      insertOwner.run(id, at, sealed.ownerSeal(id, 0, at));
      upsertPlace.run(id, space, machine, sealed.placeSeal(id, space, machine));
    },
    beat(ownerId) {
      const row = ownerRow.get(ownerId);
      if (row === undefined) return;
      const beats = sealed.checkOwner(row).beats + 1;
      const at = now();
      updateOwner.run(beats, at, sealed.ownerSeal(ownerId, beats, at), ownerId);
    },
    sighting({ owner, observer }) {
      const row = sightingRow.get(owner, observer);
      return row === undefined ? null : sealed.sightingIn(row, { owner, observer });
    },
    noteSighting(sighting, { address, epoch }) {
      const { owner, observer, beats, seenAt } = sighting;
      const seal = sealed.sightingSeal(sighting);
      upsertSighting.run(owner, observer, beats, seenAt, seal, address, epoch);
    },
  };
}
