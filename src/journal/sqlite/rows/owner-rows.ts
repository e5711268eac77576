import type { DatabaseSync } from "node:sqlite";
import type { ProcessIdentity } from "../../../model/world.ts";
import type { Lease, Owner, Sighting } from "../../journal.ts";
import { rowDamaged, sealOf } from "../../seal.ts";
import { keptSighting, sightingColumns, UNNOTED_PLACE } from "../../sightings.ts";
import { integer, integerOrNull, text, textOrNull, type Row } from "./row-values.ts";
import { SQL } from "../statements.ts";

/** An owner of an older version leaves no time, and seals without it. */
const ownerSeal = (owner: string, beats: number, beatAt: number | null): string =>
  sealOf(beatAt === null ? [owner, beats] : [owner, beats, beatAt]);

const placeSeal = (owner: string, space: string | null, machine: string | null): string =>
  sealOf([owner, space, machine]);

export function checkOwner(row: Row): { owner: string; beats: number; beatAt: number | null } {
  const found = {
    owner: text(row, "owner"),
    beats: integer(row, "beats"),
    beatAt: integerOrNull(row, "beat_at"),
  };
  if (row["owner_seal"] !== ownerSeal(found.owner, found.beats, found.beatAt))
    throw rowDamaged("owners", found.owner, "does not match its seal");
  return found;
}

/** Where an owner's process is, after its seal was checked. */
export function checkPlace(owner: string, row: Row): Pick<ProcessIdentity, "space" | "machine"> {
  const seal = textOrNull(row, "place_seal");
  if (seal === null) return UNNOTED_PLACE;
  const [space, machine] = [textOrNull(row, "space"), textOrNull(row, "machine")];
  if (seal !== placeSeal(owner, space, machine))
    throw rowDamaged("owner_places", owner, "does not match its seal");
  return { ...(space === null ? {} : { space }), ...(machine === null ? {} : { machine }) };
}

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
      insertOwner.run(id, at, ownerSeal(id, 0, at));
      upsertPlace.run(id, space, machine, placeSeal(id, space, machine));
    },
    beat(ownerId) {
      const row = ownerRow.get(ownerId);
      if (row === undefined) return;
      const beats = checkOwner(row).beats + 1;
      const at = now();
      updateOwner.run(beats, at, ownerSeal(ownerId, beats, at), ownerId);
    },
    sighting({ owner, observer }) {
      const row = sightingRow.get(owner, observer);
      if (row === undefined) return null;
      const found = { owner, observer, beats: integer(row, "beats"), seenAt: integer(row, "seen_at") };
      return keptSighting(found, sealOf(sightingColumns(found)), row["seal"]);
    },
    noteSighting(sighting, { address, epoch }) {
      const { owner, observer, beats, seenAt } = sighting;
      const seal = sealOf(sightingColumns(sighting));
      upsertSighting.run(owner, observer, beats, seenAt, seal, address, epoch);
    },
  };
}
