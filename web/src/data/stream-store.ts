import type { QueryCache } from "./query-cache.ts";
import type { Following, Source } from "./source.ts";
import type { Connection, StreamEvent, StreamMessage } from "./stream-protocol.ts";

export interface StreamState {
  readonly connection: Connection;
  /** When something last came from the server. */
  readonly at: number;
}

type OnEvents = (events: readonly StreamEvent[]) => void;

/** The stream as the page knows it: whether it is live, and who wants which events. */
export class StreamStore {
  #state: StreamState = { connection: "connecting", at: Date.now() };
  readonly #listeners = new Set<() => void>();
  readonly #wanted = new Map<OnEvents, string>();
  #following: Following | null = null;
  readonly #cache: QueryCache;

  constructor(cache: QueryCache) {
    this.#cache = cache;
  }

  get state(): StreamState {
    return this.#state;
  }

  begin(source: Source): () => void {
    if (source.kind === "file") return () => undefined;
    const following = source.follow((message) => this.#hear(message));
    this.#following = following;
    this.#watch();
    return () => {
      following.end();
      this.#following = null;
    };
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every event of a run from now on, with its data. */
  onEvents(run: string, then: OnEvents): () => void {
    this.#wanted.set(then, run);
    this.#watch();
    return () => {
      this.#wanted.delete(then);
      this.#watch();
    };
  }

  #watch(): void {
    this.#following?.watch([...new Set(this.#wanted.values())]);
  }

  #hear(message: StreamMessage): void {
    if (message.kind === "reset") return this.#cache.reset();
    if (message.kind === "connection") {
      this.#set({ connection: message.connection, at: message.at });
      return;
    }
    this.#set({ connection: "live", at: message.at });
    this.#cache.changed(new Set(message.events.map(({ run }) => run)));
    for (const [then, run] of this.#wanted) {
      const own = message.events.filter((event) => event.run === run && event.data !== undefined);
      if (own.length > 0) then(own);
    }
  }

  #set(state: StreamState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
