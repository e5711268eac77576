import { Client } from "pg";
import type { PostgresTiming } from "./postgres-timing.ts";
import type { StoreAddress } from "./store-address.ts";
import { ConnectionLost, isAway, toRefusal } from "../postgres-fault.ts";
import { integer, type Row, text } from "../../row-values.ts";
import { errorText, Fault } from "../../../model/fault.ts";

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
  onNotification(listener: (payload: string) => void): void;
  /** Resolves once the link is broken. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

const GOODBYE_MS = 1_000;

/** Takes a client that has connected. */
function openLink(client: Client, answerMs: number): Link {
  let broken = false;
  let reportLoss: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (reportLoss = resolve));
  const breakIt = (error?: Error): void => {
    broken = true;
    reportLoss();
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
    onNotification: (listener) => void client.on("notification", ({ payload }) => listener(payload ?? "")),
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

export type Connect = () => Promise<Link>;

const KEEP_ALIVE_AFTER_MS = 10_000;
const SERVER_VERSION_MIN = 130_000;

/**
 * Makes connections on which every statement means the same, no matter what the server's or the role's defaults are.
 */
export function connector(address: StoreAddress, timing: PostgresTiming): Connect {
  return async () => {
    try {
      return await connected(address, timing);
    } catch (error) {
      throw isAway(error) ? error : toRefusal(error, address);
    }
  };
}

async function connected(address: StoreAddress, timing: PostgresTiming): Promise<Link> {
  const client = new Client({
    connectionString: address.url,
    fallback_application_name: "holdfast",
    connectionTimeoutMillis: timing.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  });
  // Until the link listens: an error without a listener would end the process. Connecting rejects with it too.
  client.on("error", () => undefined);
  await client.connect();
  const link = openLink(client, timing.answerMs);
  try {
    const [row = {}] = await link.runAll(sessionSettings(address, timing));
    checkServer(row, address);
    return link;
  } catch (error) {
    await link.end();
    throw error;
  }
}

/**
 * A client that is cut off is noticed by the server within half a minute, so that its session holds no lock for hours.
 * Read committed is what lets each statement of a function see what was committed before it took its lock. Plans
 * are made once, for index lookups, because they would otherwise be made for the empty tables of a young store.
 */
const sessionSettings = ({ schema }: StoreAddress, timing: PostgresTiming): string => `
  SET search_path TO ${schema}, pg_catalog;
  SET statement_timeout TO ${String(timing.statementMs)};
  SET default_transaction_isolation TO 'read committed';
  SET client_encoding TO 'UTF8';
  SET client_min_messages TO error;
  SET standard_conforming_strings TO on;
  SET plan_cache_mode TO force_generic_plan;
  SET enable_seqscan TO off;
  SET enable_hashjoin TO off;
  SET enable_mergejoin TO off;
  SET jit TO off;
  SET tcp_keepalives_idle TO 10;
  SET tcp_keepalives_interval TO 5;
  SET tcp_keepalives_count TO 3;
  SET tcp_user_timeout TO '25s';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
    current_setting('server_version_num')::integer AS version, current_setting('server_version') AS version_text`;

function checkServer(row: Row, { shown }: StoreAddress): void {
  const refuse = (seen: string, expected: string): Fault =>
    new Fault("store_unavailable", `the server of ${shown} cannot keep a journal: ${seen}; ${expected}`, {
      retry: "after-human",
      details: { store: shown },
    });
  if (integer(row, "version") < SERVER_VERSION_MIN)
    throw refuse(`it is PostgreSQL ${text(row, "version_text")}`, "PostgreSQL 13 or newer was expected");
  if (text(row, "fsync") !== "on")
    throw refuse(
      "fsync is off, so that what it commits can be lost",
      "set fsync = on in its configuration and restart it",
    );
  if (text(row, "encoding") !== "UTF8")
    throw refuse(`the database's encoding is ${text(row, "encoding")}`, "create one with ENCODING 'UTF8'");
}
