import type { Journal } from "../../journal/journal.ts";
import type { BaseFiles } from "./base-files.ts";
import { baseOf, isStreamed, Position, readCursor } from "./position.ts";
import { eventFrame, type Pipe, type StreamFilter, Subscriber } from "./subscriber.ts";

/**
 * Reads what is appended to the store once, for all readers of the stream.
 *
 * States: asleep without readers, awake with some, closed.
 * 1. Its position moves on by one event at a time, and each live reader is handed that event in the same step.
 * 2. It never waits for a reader.
 * 3. Looking takes at most a tenth of its time, however many runs there are and however often something changes.
 */
export interface EventHub {
  /** Begins a reader; null where the cursor is not known any more. */
  subscribe(order: SubscribeOrder): Promise<Subscription | null>;
  readonly readers: number;
  close(): void;
}

export interface SubscribeOrder {
  readonly pipe: Pipe;
  readonly filter: StreamFilter;
  readonly from: StreamFrom;
}

export type StreamFrom =
  | { readonly kind: "now" }
  | { readonly kind: "start" }
  | { readonly kind: "cursor"; readonly cursor: string }
  /** Of one run, what stands behind that event; of others nothing. */
  | { readonly kind: "since"; readonly run: string; readonly seq: number };

export interface Subscription {
  end(): void;
}

const PAGE_EVENTS = 500;
const DELTA_MAX = 256;
const IDLE_MS = 20_000;
const SOON_MS = 20;
const REST_FACTOR = 9;
const FAILED_MS = 200;

type Store = Pick<Journal, "runs" | "read" | "watch">;

export function eventHub(journal: Store, bases: BaseFiles): EventHub {
  return new Hub(journal, bases);
}

class Hub implements EventHub {
  readonly #journal: Store;
  readonly #bases: BaseFiles;
  readonly #readers = new Set<Subscriber>();
  #position = new Position(baseOf([]));
  #awake: { end(): void } | null = null;
  #waking: Promise<void> | null = null;
  #isClosed = false;
  #isLooking = false;
  #isStale = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(journal: Store, bases: BaseFiles) {
    this.#journal = journal;
    this.#bases = bases;
  }

  get readers(): number {
    return this.#readers.size;
  }

  async subscribe({ pipe, filter, from }: SubscribeOrder): Promise<Subscription | null> {
    while (this.#awake === null && !this.#isClosed) await (this.#waking ??= this.#wake());
    const position = this.#startOf(from);
    if (position === null || this.#isClosed || pipe.destroyed) {
      if (this.#readers.size === 0) this.#sleep();
      return null;
    }
    const reader = new Subscriber(pipe, filter, position);
    this.#readers.add(reader);
    const end = (): void => this.#leave(reader);
    pipe.once("close", end);
    this.#catchUp(reader);
    return { end };
  }

  #startOf(from: StreamFrom): Position | null {
    if (from.kind === "now") return this.#position;
    if (from.kind === "start") return new Position(baseOf([]));
    if (from.kind === "since") {
      const start = this.#position.copy();
      start.advance(from.run, Math.min(from.seq, this.#position.seqOf(from.run)));
      return start;
    }
    const read = readCursor(from.cursor);
    const base = read === null ? null : this.#bases.find(read.digest);
    return base === null || read === null ? null : read.on(base);
  }

  #catchUp(reader: Subscriber): void {
    reader
      .catchUp(
        () => this.#position,
        (run, page) => this.#journal.read(run, { ...page, leaveApart: true }),
      )
      // A run that cannot be read any more: the reader comes back, and is informed by the routes of that run.
      .catch(() => reader.end());
  }

  #leave(reader: Subscriber): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#sleep();
  }

  async #wake(): Promise<void> {
    this.#placeAt(await this.#listing());
    const unwatch = this.#journal.watch(() => this.#lookSoon());
    const beat = setInterval(() => {
      for (const reader of this.#readers) reader.idle(this.#position.cursor);
    }, IDLE_MS);
    this.#awake = {
      end: () => {
        unwatch();
        clearInterval(beat);
      },
    };
    // What came between the first look and the watching.
    this.#lookSoon();
  }

  #sleep(): void {
    this.#awake?.end();
    this.#awake = null;
    this.#waking = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #listing(): Promise<[run: string, seq: number][]> {
    const runs = await this.#journal.runs({ onDamaged: () => undefined });
    const shared = await this.#journal.runs({ shared: true, onDamaged: () => undefined });
    return [...runs, ...shared.filter(({ run }) => isStreamed(run))].map(({ run, seq }) => [run, seq]);
  }

  /**
   * Cursors go on to be expressed against the same base as long as little differs from it: bases are few, and cursors
   * last.
   */
  #placeAt(listed: readonly (readonly [string, number])[]): void {
    const base = this.#position.base.runs.length > 0 ? this.#position.base : this.#bases.newest();
    if (base === null) return this.#rebase(listed);
    const now = new Map(listed);
    const place = new Position(base);
    for (const run of base.runs) place.advance(run, now.get(run) ?? 0);
    for (const [run, seq] of now) place.advance(run, seq);
    if (place.deltaSize > DELTA_MAX) return this.#rebase(listed);
    this.#bases.keep(base);
    this.#position = place;
  }

  #rebase(entries: Iterable<readonly [string, number]>): void {
    const base = baseOf(entries);
    this.#bases.keep(base);
    this.#position = new Position(base);
  }

  #lookSoon(waitMs = SOON_MS): void {
    if (this.#isLooking) this.#isStale = true;
    else this.#timer ??= setTimeout(() => void this.#look(), waitMs);
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#isLooking = true;
    this.#isStale = false;
    const began = performance.now();
    let tookMs = FAILED_MS;
    try {
      const listed = await this.#listing();
      tookMs = performance.now() - began;
      for (const [run, seq] of listed) if (seq > this.#position.seqOf(run)) await this.#readOn(run, seq);
    } catch {
      // The store cannot be read now: the next look finds what this one did not.
      this.#isStale = true;
    }
    this.#isLooking = false;
    if (this.#isStale && this.#awake !== null) this.#lookSoon(Math.max(SOON_MS, tookMs * REST_FACTOR));
  }

  async #readOn(run: string, upTo: number): Promise<void> {
    while (this.#position.seqOf(run) < upTo && this.#awake !== null) {
      const after = this.#position.seqOf(run);
      const events = await this.#journal.read(run, { after, limit: PAGE_EVENTS, leaveApart: true });
      if (events.length === 0) return;
      for (const event of events) this.#hand(event);
      if (this.#position.seqOf(run) === after) return;
    }
  }

  #hand(event: Parameters<typeof eventFrame>[0]): void {
    // The hub was asleep in between, and has begun at a later place.
    if (event.seq !== this.#position.seqOf(event.run) + 1) return;
    if (this.#position.deltaSize > DELTA_MAX) this.#rebase([...this.#position.entries()]);
    const before = event.seq - 1;
    this.#position.advance(event.run, event.seq);
    // Encoded once, for all readers.
    const frame = Buffer.from(eventFrame(event, this.#position.cursor));
    const without = (): Position => {
      const copy = this.#position.copy();
      copy.advance(event.run, before);
      return copy;
    };
    for (const reader of this.#readers)
      if (reader.isLive && !reader.hand(event, frame, without)) this.#catchUp(reader);
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
    this.#sleep();
  }
}
