import { APART_MEMBER, type ApartPlace } from "../model/state/bound-tree.ts";
import { encodeEventData } from "../model/events/event-codec.ts";
import { SCRUBBED_EVENTS_NAMED_MAX } from "../model/events/scrub-events.ts";
import type { ValueRemover } from "../model/events/remove-value.ts";
import { chainHash, GENESIS, type Blob, type StoredEvent } from "./chain.ts";
import type { Head, Journal, MailText, RewriteOrder } from "./journal.ts";
import { digestOf, placesIn } from "./large-values.ts";
import { storedEvents } from "./scrub-records.ts";

/** What of a run's journal holds a value, and what stands in its place. */
export interface ScrubPlan {
  readonly run: string;
  readonly head: Head;
  /** Events that hold it, themselves or in a large value that they name. */
  readonly changed: readonly number[];
  /** From the first of them to the head, chained again; empty where none holds it. */
  readonly events: readonly StoredEvent[];
  readonly uses: RewriteOrder["uses"];
  readonly dropped: readonly string[];
  readonly mail: readonly MailText[];
}

/** Looks through everything that the store keeps of a run; changes nothing. */
export async function planScrub(journal: Journal, run: string, remover: ValueRemover): Promise<ScrubPlan> {
  const changed: number[] = [];
  const events: StoredEvent[] = [];
  const uses: { seq: number; blobs: readonly Blob[] }[] = [];
  const dropped = new Set<string>();
  let head: Head = { seq: 0, hash: GENESIS };
  let previous = GENESIS;
  for await (const event of storedEvents(journal, run)) {
    head = { seq: event.seq, hash: event.hash };
    const cleaned = await cleanedEvent(journal, event, remover);
    if (cleaned !== null) {
      changed.push(event.seq);
      if (cleaned.blobs !== null) uses.push({ seq: event.seq, blobs: cleaned.blobs });
      for (const digest of cleaned.dropped) dropped.add(digest);
    }
    if (changed.length > 0) events.push(rechained(previous, event, cleaned?.data ?? event.data));
    previous = events.at(-1)?.hash ?? event.hash;
  }
  return {
    run,
    head,
    changed,
    events,
    uses,
    dropped: [...dropped],
    mail: await cleanedMail(journal, run, remover),
  };
}

const rechained = (previous: string, event: StoredEvent, data: string): StoredEvent => ({
  ...event,
  data,
  hash: chainHash(previous, { ...event, data }),
});

interface CleanedEvent {
  readonly data: string;
  /** The large values that it names now; null where it names none. */
  readonly blobs: readonly Blob[] | null;
  readonly dropped: readonly string[];
}

/** Null for an event that does not hold the value. */
async function cleanedEvent(
  journal: Journal,
  event: StoredEvent,
  remover: ValueRemover,
): Promise<CleanedEvent | null> {
  const data = remover.cleanJson(event.data);
  const places = placesIn(data);
  if (places.length === 0) return data === event.data ? null : { data, blobs: null, dropped: [] };
  const texts = await journal.readApart(
    event,
    places.map(({ digest }) => digest),
  );
  const blobs = texts.map((text) => {
    const cleaned = remover.cleanJson(text);
    return { text: cleaned, digest: digestOf(cleaned) };
  });
  const dropped = places.flatMap(({ digest }, at) => (digest === blobs[at]?.digest ? [] : [digest]));
  if (dropped.length === 0) return data === event.data ? null : { data, blobs, dropped };
  const named = places.map(({ at }, index): ApartPlace => {
    const { digest = "", text = "" } = blobs[index] ?? {};
    return { at, digest, chars: text.length };
  });
  const whole = { ...(JSON.parse(data) as object), [APART_MEMBER]: named };
  return { data: JSON.stringify(whole), blobs, dropped };
}

async function cleanedMail(journal: Journal, run: string, remover: ValueRemover): Promise<MailText[]> {
  const mail = await journal.mailTexts(run);
  return mail.flatMap(({ id, body }) => {
    const cleaned = cleanedBody(body, remover);
    return cleaned === body ? [] : [{ id, body: cleaned }];
  });
}

/** One that is no JSON cannot be read by anybody, and is cleaned as the text that it is. */
function cleanedBody(body: string, remover: ValueRemover): string {
  try {
    return remover.cleanJson(body);
  } catch {
    return remover.clean(body);
  }
}

/** The plan with its record behind it: what the store is to write. */
export function scrubOrder(
  { run, head, changed, events, uses, dropped, mail }: ScrubPlan,
  by: string,
  order: Pick<RewriteOrder, "epoch" | "at" | "listing">,
): RewriteOrder {
  const after = { seq: head.seq, hash: events.at(-1)?.hash ?? head.hash };
  const type = "RunScrubbed";
  const data = encodeEventData({
    type,
    data: {
      by,
      from: changed[0] ?? null,
      events: changed.slice(0, SCRUBBED_EVENTS_NAMED_MAX),
      count: changed.length,
      requests: mail.length,
      before: head,
      after,
    },
  });
  const record = { run, seq: head.seq + 1, at: order.at, type, data };
  const chained = { ...record, hash: chainHash(after.hash, record) };
  return { run, head, events: [...events, chained], uses, dropped, mail, ...order };
}
