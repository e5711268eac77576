import { ApiProblem } from "../../../src/api/client/api-problem.ts";
import type { ApiClient } from "../../../src/api/client/client.ts";
import type { StreamedEvent } from "../../../src/api/client/follow-stream.ts";
import type { Connection, StreamEvent, StreamMessage } from "./stream-protocol.ts";

const BATCH_MS = 100;
const BATCH_EVENTS_MAX = 500;
const AGAIN_MS = 1_000;
const REFUSED_AGAIN_MS = 10_000;

type Tell = (message: StreamMessage) => void;

/** Reads the stream of the server once, for all tabs that listen. It runs in a shared worker, or in the page. */
export class StreamHub {
  readonly #client: ApiClient;
  readonly #tabs = new Map<Tell, ReadonlySet<string>>();
  #connection: Connection = "connecting";
  #at = Date.now();
  #batch: StreamedEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #over: AbortController | null = null;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  add(tell: Tell): void {
    this.#tabs.set(tell, new Set());
    tell({ kind: "connection", connection: this.#connection, at: this.#at });
    if (this.#over === null) {
      this.#over = new AbortController();
      void this.#run(this.#over.signal);
    }
  }

  watch(tell: Tell, runs: readonly string[]): void {
    if (this.#tabs.has(tell)) this.#tabs.set(tell, new Set(runs));
  }

  remove(tell: Tell): void {
    this.#tabs.delete(tell);
    if (this.#tabs.size > 0) return;
    this.#over?.abort();
    this.#over = null;
    this.#connection = "connecting";
  }

  async #run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      let waitMs = AGAIN_MS;
      try {
        const onConnection = (state: "live" | "lost"): void => this.#connect(state);
        for await (const event of this.#client.stream({
          signal,
          onConnection,
          also: ["continuous", "mission"],
        }))
          this.#hear(event);
      } catch (error) {
        const isRefused = error instanceof ApiProblem && (error.status === 401 || error.status === 403);
        if (isRefused) waitMs = REFUSED_AGAIN_MS;
        if (!isOver()) this.#connect(isRefused ? "refused" : "lost");
      }
      if (isOver()) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      this.#tell({ kind: "reset" });
    }
  }

  #connect(connection: Connection): void {
    const wasLost = this.#connection === "lost" || this.#connection === "refused";
    this.#connection = connection;
    if (connection === "live") this.#at = Date.now();
    this.#tell({ kind: "connection", connection, at: this.#at });
    if (connection === "live" && wasLost) this.#tell({ kind: "reset" });
  }

  #hear(event: StreamedEvent): void {
    this.#at = Date.now();
    this.#batch.push(event);
    if (this.#batch.length >= BATCH_EVENTS_MAX) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#batch;
    this.#batch = [];
    for (const [tell, watched] of this.#tabs)
      tell({ kind: "events", events: batch.map((event) => eventFor(event, watched)), at: this.#at });
  }

  #tell(message: StreamMessage): void {
    for (const tell of this.#tabs.keys()) tell(message);
  }
}

const eventFor = ({ run, seq, at, type, data }: StreamedEvent, watched: ReadonlySet<string>): StreamEvent =>
  watched.has(run) ? { run, seq, at, type, data } : { run, seq, at, type };
