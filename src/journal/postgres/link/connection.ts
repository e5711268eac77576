import { Client } from "pg";
import { Fault } from "../../../model/fault.ts";
import { openLink, type Link } from "./link.ts";
import { isAway, toRefusal } from "../postgres-fault.ts";
import type { PostgresTiming } from "./postgres-timing.ts";
import { integer, text, type Row } from "../rows/row-values.ts";
import type { StoreAddress } from "./store-address.ts";

export type Connect = () => Promise<Link>;

const KEEP_ALIVE_AFTER_MS = 10_000;
const SERVER_VERSION_MIN = 130_000;

/** Makes connections on which every statement means the same, whatever the server's or the role's defaults are. */
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
