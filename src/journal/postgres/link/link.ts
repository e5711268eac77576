import type { Client } from "pg";
import { errorText } from "../../../model/fault.ts";
import { ConnectionLost } from "../postgres-fault.ts";
import type { Row } from "../rows/row-values.ts";

/** A statement with its values; one with a name is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

/**
 * One connection, for one statement at a time.
 *
 * States: live → broken. Broken is final: the driver waits for ever on a connection that was cut in silence, and
 * after a timeout it would take a late answer for the next one. So a link is never mended, only replaced.
 *
 * 1. Every statement ends within `answerMs`, by an answer or by breaking the link.
 * 2. After an error of the connection, or an answer that did not come, the socket is destroyed.
 * 3. A link without a statement keeps no process alive.
 */
export interface Link {
  readonly broken: boolean;
  run(statement: Statement): Promise<Row[]>;
  /** Several statements without values at once; gives the rows of the last. */
  runAll(text: string): Promise<Row[]>;
  /** Calls back for each notification with what its sender said. */
  hear(heard: (payload: string) => void): void;
  /** Resolves once the link is broken. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

const GOODBYE_MS = 1_000;

/** Takes a client that has connected. */
export function openLink(client: Client, answerMs: number): Link {
  let broken = false;
  let tellLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (tellLost = resolve));
  const breakIt = (error?: Error): void => {
    broken = true;
    tellLost();
    client.connection.stream.destroy(error);
  };
  client.on("error", () => breakIt());
  client.on("end", () => breakIt());
  const socket = client.connection.stream as { ref?(): void; unref?(): void };
  socket.unref?.();

  /** An answer, or a broken link, within bounded time. */
  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    const silent = `no answer within ${String(answerMs)} ms`;
    const watchdog = setTimeout(() => breakIt(new Error(silent)), answerMs);
    socket.ref?.();
    try {
      return await ask();
    } catch (error) {
      throw broken ? new ConnectionLost(errorText(error), { cause: error }) : error;
    } finally {
      clearTimeout(watchdog);
      socket.unref?.();
    }
  };

  return {
    get broken() {
      return broken;
    },
    lost,
    run: (statement) => answered(async () => (await client.query<Row>(statement)).rows),
    runAll: (text) => answered(async () => lastRows(await client.query<Row>(text))),
    hear: (heard) => void client.on("notification", ({ payload }) => heard(payload ?? "")),
    async end() {
      const hung = setTimeout(() => breakIt(), GOODBYE_MS);
      if (!broken) await client.end();
      clearTimeout(hung);
      breakIt();
    },
  };
}

/** The driver's types know one result only; several statements give several. */
function lastRows(result: { readonly rows: Row[] } | readonly { readonly rows: Row[] }[]): Row[] {
  return "rows" in result ? result.rows : (result.at(-1)?.rows ?? []);
}
