/**
 * Large values are kept apart from the events that hold them: the store has each once, under the digest of its text,
 * and the event says where it belongs.
 */
export interface ApartPlace {
  readonly at: readonly (string | number)[];
  readonly digest: string;
  /** Length of the value's JSON text. */
  readonly chars: number;
}

/** The member of stored data that lists the places; no event has one of that name. Nothing stands in them meanwhile. */
export const APART_MEMBER = "~apart";

/** Results need not be read until the body asks for them: where they stand in which events. */
const MAY_STAY: Readonly<Record<string, readonly string[]>> = {
  BodyStepEnded: ["ended", "value"],
  BodyChildEnded: ["ended", "value"],
};

/** Results of tools are looked up at once when a history is repaired (`run.repair`): they are always read. */
const isToolKey = (data: unknown): boolean =>
  typeof data === "object" &&
  data !== null &&
  "key" in data &&
  /(^|\/)step:tool~1[^/]*$/.test(String(data.key));

export function mayStayApart(event: StoredShape, places: readonly ApartPlace[]): boolean {
  const result = Object.hasOwn(MAY_STAY, event.type) ? MAY_STAY[event.type] : undefined;
  return (
    result !== undefined &&
    places.every(({ at }) => result.every((part, index) => at[index] === part)) &&
    !isToolKey(event.data)
  );
}

interface StoredShape {
  readonly type: string;
  readonly data: unknown;
}

/** The same places, seen from the result. */
export const placesInResult = (type: string, places: readonly ApartPlace[]): ApartPlace[] =>
  places.map((place) => ({ ...place, at: place.at.slice(MAY_STAY[type]?.length ?? 0) }));

/** A copy with something else in each place; what is not on the way there is shared. */
export const withPlaces = (
  value: unknown,
  places: readonly ApartPlace[],
  give: (place: ApartPlace) => unknown,
): unknown => places.reduce((whole, place) => replaced(whole, place.at, give(place)), value);

function replaced(whole: unknown, [first, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(whole)) return whole.with(Number(first), replaced(whole[Number(first)], rest, value));
  const members = Object.entries(whole as object).map(([name, inner]): [string, unknown] =>
    name === first ? [name, replaced(inner, rest, value)] : [name, inner],
  );
  return Object.fromEntries(members);
}
