import { hash } from "node:crypto";
import { APART_MEMBER, mayStayApart, withPlaces, type ApartPlace } from "../model/state/bound-tree.ts";
import { decodeEventData } from "../model/events/event-codec.ts";
import type { Recorded, RunEvent } from "../model/events/events.ts";
import {
  decodeStored,
  encodeEvent,
  journalDamaged,
  type Blob,
  type EncodedEvent,
  type StoredEvent,
} from "./chain.ts";
import type { AppendOutcome } from "./journal.ts";

export const digestOf = (text: string): string => hash("sha256", text);

/** Longer values are kept apart unless the one that opens a store says otherwise. */
export const LARGE_CHARS = 65_536;

/** Events as they are written: those with large values name them. */
export function packEvents(events: readonly RunEvent[], largeChars = LARGE_CHARS): EncodedEvent[] {
  const encoded: EncodedEvent[] = [];
  for (const event of events) encoded.push(pack(encodeEvent(event), largeChars));
  return encoded;
}

/**
 * Takes the large values out of an event. Of values inside each other the innermost that are large are taken, so that
 * a text is the same blob wherever it stands. The hash of the event covers the digests, and so the values.
 */
function pack(event: EncodedEvent, largeChars: number): EncodedEvent {
  if (event.data.length <= largeChars) return event;
  const data: unknown = JSON.parse(event.data);
  const places: ApartPlace[] = [];
  const blobs = new Map<string, Blob>();
  for (const { at, text } of largeParts(data, [], largeChars)) {
    const digest = digestOf(text);
    places.push({ at, digest, chars: text.length });
    blobs.set(digest, { digest, text });
  }
  if (places.length === 0) return event;
  const rest = withPlaces(data, places, () => null) as object;
  return {
    type: event.type,
    data: JSON.stringify({ ...rest, [APART_MEMBER]: places }),
    apart: { places, blobs: [...blobs.values()] },
  };
}

interface LargePart {
  readonly at: readonly (string | number)[];
  readonly text: string;
}

/** Never the whole: an event stays an event. */
function largeParts(value: unknown, at: readonly (string | number)[], largeChars: number): LargePart[] {
  if (typeof value !== "object" || value === null) return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return members.flatMap(([name, inner]) => {
    const text = JSON.stringify(inner);
    if (text.length <= largeChars) return [];
    const deeper = largeParts(inner, [...at, name], largeChars);
    return deeper.length > 0 ? deeper : [{ at: [...at, name], text }];
  });
}

const NONE: readonly ApartPlace[] = [];

/** What is missing in stored data; almost always nothing, which costs one look through the text. */
export function placesIn(data: string): readonly ApartPlace[] {
  if (!data.includes(`"${APART_MEMBER}":[`)) return NONE;
  const places = partsOf(data).places;
  return Array.isArray(places) ? (places as ApartPlace[]) : NONE;
}

function partsOf(data: string): { readonly rest: unknown; readonly places: unknown } {
  const { [APART_MEMBER]: places, ...rest } = JSON.parse(data) as Record<string, unknown>;
  return { rest, places };
}

/** Gives the text of a value, or undefined for one that is not there. */
export type FindText = (digest: string) => string | undefined;

/** The values' texts, each checked against its digest; damage is named by the event that speaks of them. */
export function checkedTexts(
  { run, seq }: { readonly run: string; readonly seq: number },
  digests: readonly string[],
  find: FindText,
): string[] {
  return digests.map((digest) => {
    const text = find(digest);
    const wrong = blobDamage(digest, text);
    if (wrong !== null || text === undefined) throw journalDamaged(run, seq, wrong ?? "");
    return text;
  });
}

/** What is wrong with a blob, or null. */
export function blobDamage(digest: string, text: string | undefined): string | null {
  if (text === undefined) return `the large value ${digest} that it names is missing`;
  if (digestOf(text) !== digest) return `the large value ${digest} that it names does not match its digest`;
  return null;
}

/** Whose values must be at hand to decode these events. */
export const digestsIn = (events: readonly StoredEvent[], leaveApart: boolean): string[] => [
  ...new Set(
    events.flatMap(({ type, data }) => {
      const places = placesIn(data);
      if (places.length === 0) return [];
      const stays = leaveApart && mayStayApart({ type, data: partsOf(data).rest }, places);
      return stays ? [] : places.map(({ digest }) => digest);
    }),
  ),
];

/** Checked events as the code of today understands them, with their large values in place or left apart. */
export function decodeWhole(event: StoredEvent, leaveApart: boolean, find: FindText): Recorded {
  const places = placesIn(event.data);
  if (places.length === 0) return decodeStored(event);
  const { run, seq, at, type, hash: own } = event;
  const { rest } = partsOf(event.data);
  if (leaveApart && mayStayApart({ type, data: rest }, places))
    return { ...decodeEventData(type, rest), run, seq, at, hash: own, apart: places };
  const whole = withPlaces(rest, places, ({ digest }) => {
    const [text = ""] = checkedTexts(event, [digest], find);
    return JSON.parse(text) as unknown;
  });
  return { ...decodeEventData(type, whole), run, seq, at, hash: own };
}

/** Reports to the writer which values of its events are apart now. */
export function withApart(outcome: AppendOutcome, encoded: readonly EncodedEvent[]): AppendOutcome {
  if (outcome.kind !== "appended") return outcome;
  const apart = new Map<number, readonly ApartPlace[]>();
  for (const [index, event] of encoded.entries())
    if (event.apart !== undefined) apart.set(index, event.apart.places);
  return apart.size === 0 ? outcome : { ...outcome, apart };
}
