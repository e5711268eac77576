/** What a query is about: one run, the whole store, or nothing that events change. */
export type About =
  { readonly kind: "run"; readonly run: string } | { readonly kind: "store" } | { readonly kind: "nothing" };

export interface QueryState<T> {
  /** The last answer; kept while another one is read, and where reading fails. */
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isReading: boolean;
  /** When the data was read. */
  readonly readAt: number | null;
}

export interface Query<T> {
  readonly key: string;
  readonly about: About;
  readonly read: (signal: AbortSignal) => Promise<T>;
}

interface Entry {
  query: Query<unknown>;
  state: QueryState<unknown>;
  readonly listeners: Set<() => void>;
  reading: AbortController | null;
  timer: ReturnType<typeof setTimeout> | null;
  isStale: boolean;
  begunAt: number;
  tookMs: number;
  failures: number;
}

const NOTHING: QueryState<never> = { data: undefined, error: null, isReading: true, readAt: null };
const GAP_MS = 600;
const HIDDEN_GAP_MS = 5_000;
/** Reading takes at most a third of the time, however often something changes. */
const REST_FACTOR = 2;
const POLL_MS = 15_000;
const AGAIN_MS = 1_500;
const AGAIN_MS_MAX = 20_000;
const FORGET_MS = 30_000;

/**
 * Answers of the server, each under the key of its question.
 *
 * An entry is read when somebody first listens, again soon after an event that it is about, and from time to time,
 * because some of what is shown changes without an event. What nobody listens to any more is forgotten after a while.
 */
export class QueryCache {
  readonly #entries = new Map<string, Entry>();

  peek<T>(key: string): QueryState<T> {
    return (this.#entries.get(key)?.state ?? NOTHING) as QueryState<T>;
  }

  listen(query: Query<unknown>, listener: () => void): () => void {
    const entry = this.#entryOf(query);
    entry.query = query;
    entry.listeners.add(listener);
    if (entry.reading === null && (entry.state.readAt === null || entry.isStale)) this.#read(entry);
    else if (entry.timer === null) this.#schedule(entry, POLL_MS);
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) setTimeout(() => this.#forget(entry), FORGET_MS);
    };
  }

  /** Reads again what is about these runs, and what is about the whole store. */
  changed(runs: ReadonlySet<string>): void {
    this.#stale(({ about }) => about.kind === "store" || (about.kind === "run" && runs.has(about.run)));
  }

  /** Reads everything again. */
  reset(): void {
    this.#stale(({ about }) => about.kind !== "nothing");
  }

  refresh(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#read(entry);
  }

  /** For pages that show what is known already without asking again. */
  put(key: string, data: unknown): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#set(entry, { ...entry.state, data });
  }

  #entryOf(query: Query<unknown>): Entry {
    const known = this.#entries.get(query.key);
    if (known !== undefined) return known;
    const fresh: Entry = {
      query,
      state: NOTHING,
      listeners: new Set(),
      reading: null,
      timer: null,
      isStale: false,
      begunAt: 0,
      tookMs: 0,
      failures: 0,
    };
    this.#entries.set(query.key, fresh);
    return fresh;
  }

  #forget(entry: Entry): void {
    if (entry.listeners.size > 0 || this.#entries.get(entry.query.key) !== entry) return;
    entry.reading?.abort();
    if (entry.timer !== null) clearTimeout(entry.timer);
    this.#entries.delete(entry.query.key);
  }

  #stale(isMeant: (query: Query<unknown>) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (!isMeant(entry.query)) continue;
      entry.isStale = true;
      if (entry.listeners.size === 0 || entry.reading !== null) continue;
      const gapMs = document.hidden ? HIDDEN_GAP_MS : Math.max(GAP_MS, entry.tookMs * REST_FACTOR);
      this.#schedule(entry, Math.max(0, entry.begunAt + gapMs - Date.now()));
    }
  }

  #schedule(entry: Entry, inMs: number): void {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      entry.timer = null;
      if (entry.listeners.size > 0) this.#read(entry);
    }, inMs);
  }

  #read(entry: Entry): void {
    entry.reading?.abort();
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    const reading = new AbortController();
    entry.reading = reading;
    entry.isStale = false;
    entry.begunAt = Date.now();
    if (!entry.state.isReading) this.#set(entry, { ...entry.state, isReading: true });
    entry.query.read(reading.signal).then(
      (data) => this.#end(entry, { reading, data, error: null }),
      (error: unknown) => this.#end(entry, { reading, data: undefined, error: errorOf(error) }),
    );
  }

  #end(entry: Entry, { reading, data, error }: Ended): void {
    if (entry.reading !== reading) return;
    const now = Date.now();
    entry.reading = null;
    entry.tookMs = now - entry.begunAt;
    entry.failures = error === null ? 0 : entry.failures + 1;
    const { state } = entry;
    this.#set(
      entry,
      error === null
        ? { data: isSame(state.data, data) ? state.data : data, error, isReading: false, readAt: now }
        : { ...state, error, isReading: false },
    );
    const againMs = Math.min(AGAIN_MS_MAX, AGAIN_MS * 2 ** Math.min(entry.failures, 6));
    const isPolled = entry.query.about.kind !== "nothing";
    if (error !== null) this.#schedule(entry, againMs);
    else if (entry.isStale) this.#schedule(entry, Math.max(GAP_MS, entry.tookMs * REST_FACTOR));
    else if (isPolled) this.#schedule(entry, POLL_MS);
  }

  #set(entry: Entry, state: QueryState<unknown>): void {
    entry.state = state;
    for (const listener of entry.listeners) listener();
  }
}

interface Ended {
  readonly reading: AbortController;
  readonly data: unknown;
  readonly error: Error | null;
}

/** An answer that says the same leaves the page as it is. */
const isSame = (one: unknown, other: unknown): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
