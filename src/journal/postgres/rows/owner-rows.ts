import type { ProcessIdentity } from "../../../model/world.ts";
import type { Journal } from "../../journal.ts";
import { rowDamaged } from "../../seal.ts";
import { keptSighting, sightingColumns, UNNOTED_PLACE } from "../../sightings.ts";
import type { Readers } from "../link/readers.ts";
import { checkText, integer, integerOrNull, rowSeal, text, textOrNull, type Row } from "./row-values.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

export const placeSeal = (owner: string, space: string | null, machine: string | null): string =>
  rowSeal([owner, space, machine]);

/** An owner of an older version leaves no time, and seals without it. */
export function checkOwner(row: Row): { owner: string; beats: number; beatAt: number | null } {
  const found = {
    owner: text(row, "owner"),
    beats: integer(row, "beats"),
    beatAt: integerOrNull(row, "beat_at"),
  };
  const sealed = [found.owner, found.beats, ...(found.beatAt === null ? [] : [found.beatAt])];
  if (row["owner_seal"] !== rowSeal(sealed))
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

export type SightingRows = Pick<Journal, "sighting" | "noteSighting">;

export const sightingRows = (readers: Readers, writer: Writer): SightingRows => ({
  async sighting(owner, observer) {
    checkText(owner, observer);
    const [row] = await readers.read(statement("sighting", owner, observer));
    if (row === undefined) return null;
    const found = { owner, observer, beats: integer(row, "beats"), seenAt: integer(row, "seen_at") };
    return keptSighting(found, rowSeal(sightingColumns(found)), row["seal"]);
  },
  async noteSighting(sighting, { address, epoch }) {
    const { owner, observer, beats, seenAt } = sighting;
    checkText(owner, observer, address);
    const values = [owner, observer, beats, seenAt, rowSeal(sightingColumns(sighting)), address, epoch];
    await writer.run(() => statement("upsertSighting", ...values));
  },
});
