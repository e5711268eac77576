import type { ServerOptions } from "../append/writer.ts";
import type { Link, Statement } from "./link.ts";
import { patience } from "./postgres-timing.ts";
import { isAway, toFault } from "../postgres-fault.ts";
import type { Row } from "../../row-values.ts";
import { journalClosed } from "../../seal.ts";

/**
 * A few connections for reading.
 *
 * States: open, then closed. A connection is made when a reader needs one and none is idle; at most
 * `READERS_MAX` stand at a time, and further readers wait in order.
 *
 * 1. A broken link is never given out again.
 * 2. Reading may be repeated, so a reader whose link breaks looks again over a new one, until the server has been
 *    away for `awayMs`.
 */
export interface Readers {
  read(statement: Statement): Promise<Row[]>;
  /** Several statements over one link; all of them are repeated if it breaks. */
  readTogether<T>(work: (link: Link) => Promise<T>): Promise<T>;
  /** One try only, for what nobody waits for. */
  send(statement: Statement): Promise<void>;
  /** Refuses what comes, waits for what reads. */
  close(): Promise<void>;
}

const READERS_MAX = 3;

export function storeReaders(options: ServerOptions): Readers {
  const { connect, address, timing, world, leaving } = options;
  const room = places(READERS_MAX);
  const idle: Link[] = [];
  let closed = false;

  const take = async (): Promise<Link> => {
    for (let link = idle.pop(); link !== undefined; link = idle.pop()) if (!link.broken) return link;
    return connect();
  };
  const once = async <T>(work: (link: Link) => Promise<T>): Promise<T> => {
    const link = await take();
    try {
      return await work(link);
    } catch (error) {
      if (isAway(error)) await link.end();
      throw error;
    } finally {
      if (!link.broken) idle.push(link);
    }
  };
  const untilAnswered = async <T>(work: (link: Link) => Promise<T>): Promise<T> => {
    const wait = patience({ timing, world, leaving, gaveUp: (cause) => toFault(cause, "reading", address) });
    for (;;) {
      try {
        return await once(work);
      } catch (error) {
        if (!isAway(error) || closed) throw toFault(error, "reading", address);
        await wait.pause(error);
      }
    }
  };
  const inside = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw journalClosed();
    await room.enter();
    return work().finally(() => room.leave());
  };
  const readTogether = <T>(work: (link: Link) => Promise<T>): Promise<T> => inside(() => untilAnswered(work));

  return {
    read: (statement) => readTogether((link) => link.run(statement)),
    readTogether,
    send: async (statement) => void (await inside(() => once((link) => link.run(statement)))),
    async close() {
      closed = true;
      await room.empty();
      await Promise.all(idle.map((link) => link.end()));
    },
  };
}

/** So many may work at once; the others wait outside, in order. */
interface Places {
  enter(): Promise<void>;
  leave(): void;
  /** Resolves once nobody is inside or waiting. */
  empty(): Promise<void>;
}

function places(count: number): Places {
  const waiting: (() => void)[] = [];
  const leaving: (() => void)[] = [];
  let present = 0;
  return {
    enter() {
      present += 1;
      return present <= count ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
    leave() {
      present -= 1;
      waiting.shift()?.();
      if (present === 0) for (const gone of leaving.splice(0)) gone();
    },
    empty: () => (present === 0 ? Promise.resolve() : new Promise((resolve) => leaving.push(resolve))),
  };
}
