import type { DatabaseSync } from "node:sqlite";
import type { Lease, Owner, Sighting } from "../../journal.ts";
import { sealed } from "./sealed.ts";
import { SQL } from "../statements.ts";

export interface OwnerRows {
  /** One that is known already keeps its beats. */
  insert(owner: Owner): void;
  beat(ownerId: string): void;
  sighting(of: Pick<Sighting, "owner" | "observer">): Sighting | null;
  noteSighting(sighting: Sighting, lease: Pick<Lease, "address" | "epoch">): void;
}

export function ownerRows(db: DatabaseSync, now: () => number): OwnerRows {
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
