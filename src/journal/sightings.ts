import type { Sighting } from "./journal.ts";

/** Of an owner whose version did not note its place: no namespace that can be compared, so only its beats count. */
export const UNNOTED_PLACE = { space: "" } as const;

export const sightingColumns = ({ owner, observer, beats, seenAt }: Sighting): (string | number)[] => [
  owner,
  observer,
  beats,
  seenAt,
];

/** A sighting that does not match its seal is as good as none: it is made again, and only time is lost. */
export const keptSighting = (found: Sighting, seal: string, kept: unknown): Sighting | null =>
  kept === seal ? found : null;
