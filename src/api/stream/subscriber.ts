import { kindOf, type Position } from "./position.ts";
import type { Recorded } from "../../model/events/events.ts";

/** An event of the journal as one message of the stream; it carries the cursor that stands behind it. */
export function eventFrame({ run, seq, at, type, data, hash }: Recorded, cursor: string): string {
  // JSON holds no line ends, so that it is one line of the stream.
  return `id: ${cursor}\ndata: ${JSON.stringify({ run, seq, at, type, data, hash })}\n\n`;
}

/** The first message: where the stream begins, for who is cut off before anything happens. */
const readyFrame = (cursor: string): string =>
  `retry: 1000\nid: ${cursor}\nevent: ready\ndata: ${JSON.stringify({ cursor })}\n\n`;

/** Keeps connections open that nothing is said on, and notes how far they are. It is no event for who listens. */
const idleFrame = (cursor: string): string => `id: ${cursor}\n: still here\n\n`;

/** The part of a response that a subscriber writes to. */
export interface Pipe {
  write(text: string | Uint8Array): boolean;
  readonly writableLength: number;
  readonly destroyed: boolean;
  once(event: "drain" | "close", then: () => void): unknown;
  off(event: "drain" | "close", then: () => void): unknown;
  destroy(): unknown;
}

export interface StreamFilter {
  /** By their ids or addresses; null: all runs. */
  readonly runs: ReadonlySet<string> | null;
  /** Kinds of journals that are wanted beside these, all of each kind. */
  readonly also: ReadonlySet<string>;
  readonly types: ReadonlySet<string> | null;
}

export interface ReadEvents {
  (run: string, page: { readonly after: number; readonly limit: number }): Promise<readonly Recorded[]>;
}

/** What is held for a reader before it is left to fetch the rest by itself. */
const BEHIND_BYTES = 256 * 1024;
/** A reader that takes nothing for so long is cut off; it comes back with its cursor. */
const STOPPED_MS = 15_000;
const PAGE_EVENTS = 200;

/**
 * One reader of the stream.
 *
 * States: behind (it fetches from the journal, as fast as it reads), live (it is handed what the hub has just read), gone.
 * 1. It is live only where its position is the hub's. The look that finds so and the change to live are one step, without
 *    anything in between; so no event is left out, and none is sent twice.
 * 2. One that does not keep up is behind again, from exactly where it is: it never makes the hub or other readers wait.
 */
export class Subscriber {
  readonly #pipe: Pipe;
  readonly #filter: StreamFilter;
  #behind: Position | null;

  constructor(pipe: Pipe, filter: StreamFilter, from: Position) {
    this.#pipe = pipe;
    this.#filter = filter;
    this.#behind = from.copy();
    pipe.write(readyFrame(from.cursor));
  }

  get isGone(): boolean {
    return this.#pipe.destroyed;
  }

  get isLive(): boolean {
    return this.#behind === null;
  }

  #wants({ run, type }: Pick<Recorded, "run" | "type">): boolean {
    const { types } = this.#filter;
    return this.#wantsJournal(run) && (types === null || types.has(type));
  }

  #wantsJournal(address: string): boolean {
    const { runs, also } = this.#filter;
    const kind = kindOf(address);
    if (kind !== null && also.has(kind)) return true;
    return runs === null ? kind === null : runs.has(address);
  }

  /** Given one event while live; `before` is the hub's position without it. Answers whether it stays live. */
  hand(event: Recorded, frame: Uint8Array, before: () => Position): boolean {
    if (!this.#wants(event)) return true;
    if (this.#pipe.writableLength > BEHIND_BYTES) {
      this.#behind = before();
      return false;
    }
    this.#pipe.write(frame);
    return true;
  }

  idle(cursor: string): void {
    if (this.#behind === null && this.#pipe.writableLength === 0) this.#pipe.write(idleFrame(cursor));
  }

  /** Reads on until it is where the hub is, and is live then; or it is gone. */
  async catchUp(hub: () => Position, read: ReadEvents): Promise<void> {
    while (!this.isGone) {
      const own = this.#behind;
      if (own === null) return;
      const next = this.#nextRun(own, hub());
      if (next === null) {
        this.#behind = null;
        return;
      }
      if (!(await this.#hasRoom())) return;
      const events = await read(next.run, {
        after: next.after,
        limit: Math.min(PAGE_EVENTS, next.upTo - next.after),
      });
      // What is not there any more was removed meanwhile.
      if (events.length === 0) own.advance(next.run, next.upTo);
      for (const event of events) {
        own.advance(event.run, event.seq);
        if (this.#wants(event)) this.#pipe.write(eventFrame(event, own.cursor));
      }
    }
  }

  #nextRun(own: Position, hub: Position): { run: string; after: number; upTo: number } | null {
    for (const [run, upTo] of hub.entries()) {
      const after = own.seqOf(run);
      if (after >= upTo) continue;
      if (this.#wantsJournal(run)) return { run, after, upTo };
      own.advance(run, upTo);
    }
    return null;
  }

  async #hasRoom(): Promise<boolean> {
    if (this.#pipe.writableLength <= BEHIND_BYTES) return !this.isGone;
    const isDrained = await drained(this.#pipe);
    if (!isDrained) this.#pipe.destroy();
    return isDrained;
  }

  end(): void {
    this.#pipe.destroy();
  }
}

function drained(pipe: Pipe): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isDrained: boolean): void => {
      clearTimeout(timer);
      pipe.off("drain", onDrain);
      pipe.off("close", onClose);
      resolve(isDrained && !pipe.destroyed);
    };
    const onDrain = (): void => end(true);
    const onClose = (): void => end(false);
    const timer = setTimeout(() => end(false), STOPPED_MS);
    pipe.once("drain", onDrain);
    pipe.once("close", onClose);
  });
}
