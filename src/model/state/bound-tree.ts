import { z } from "zod";
import { idSchema } from "../ids.ts";

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

/** Results need not be read until the workflow function asks for them: where they stand in which events. */
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

export function mayStayApart(
  event: { readonly type: string; readonly data: unknown },
  places: readonly ApartPlace[],
): boolean {
  const result = Object.hasOwn(MAY_STAY, event.type) ? MAY_STAY[event.type] : undefined;
  return (
    result !== undefined &&
    places.every(({ at }) => result.every((part, index) => at[index] === part)) &&
    !isToolKey(event.data)
  );
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

/** One state of a tree: the digest that people compare, and the snapshot that holds its files. */
export const seenTreeSchema = z.object({ digest: idSchema, snapshot: z.string() });
export type SeenTree = z.infer<typeof seenTreeSchema>;

/** The tree that evidence speaks of. It is looked at before and after the evidence is taken (G6). */
export const boundTreeSchema = z.object({
  tree: idSchema,
  /** Whose store keeps snapshots of it, where that is another folder. */
  project: z.string().optional(),
  /** When it was decided (I5). */
  at: z.number(),
  /** The key of the snapshot that holds what was seen; the next one under this key replaces it. */
  slot: z.string(),
  /** What the evidence before it has seen; absent for the first. */
  since: seenTreeSchema.optional(),
  /** Patterns of files that checks write themselves. */
  writes: z.array(z.string()).optional(),
});
export type BoundTree = z.infer<typeof boundTreeSchema>;

export const MOVED_FILES_MAX = 20;

/** Files that changed while evidence was taken, or between two pieces of it; the first of them by name. */
export const movedFilesSchema = z.object({ files: z.array(z.string()), count: z.number().int() });
export type MovedFiles = z.infer<typeof movedFilesSchema>;

/** Processes of attempts that had ended. They were ended before evidence was taken. */
export const leftoverSchema = z.object({ session: idSchema, pids: z.array(z.number().int()) });
export type Leftover = z.infer<typeof leftoverSchema>;

/** How far evidence is bound to one tree. */
export interface BoundState {
  /** Null before the first piece of evidence. */
  seen: SeenTree | null;
  /** How often the tree moved, so that the evidence did not count; and what moved last. */
  moves: number;
  moved: MovedFiles | null;
}

/** The tree that a commit or a proposal must be exactly, beside what checks write themselves. */
export const provedTreeSchema = z.object({ ...seenTreeSchema.shape, writes: z.array(z.string()) });
export type ProvedTree = z.infer<typeof provedTreeSchema>;

/** What the accepted evidence of a step speaks of: exactly that is committed. */
export interface Proof extends ProvedTree {
  readonly attempt: string;
}

export const unbound = (): BoundState => ({ seen: null, moves: 0, moved: null });
