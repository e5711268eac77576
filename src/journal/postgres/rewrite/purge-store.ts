import { connector } from "../link/link.ts";
import { toFault } from "../postgres-fault.ts";
import type { ServerOptions } from "../append/writer.ts";

/** Every table that holds words of people or agents. */
const TABLES = ["events", "blobs", "inbox", "snapshots", "runs"] as const;

/** A large table takes its time, and nobody reads or writes it meanwhile. */
const STATEMENT_MS = 600_000;
/** How long a table is waited for that somebody else reads: a person who asks waits, a supervisor tries it again. */
const LOCK_MS = { all: 60_000, requests: 1_000 } as const;

/**
 * Has the server write these tables again, so that no former row is left in their files. Its own log, copies of it and
 * backups keep what stood there until they are written over or deleted.
 */
export async function purgeStore(
  { address, timing }: ServerOptions,
  what: "all" | "requests",
): Promise<void> {
  const patient = { ...timing, statementMs: STATEMENT_MS, answerMs: STATEMENT_MS + timing.answerMs };
  const link = await connector(address, what === "all" ? patient : timing)();
  try {
    await link.runAll(`SET lock_timeout TO ${String(LOCK_MS[what])}`);
    for (const table of what === "all" ? TABLES : ["inbox"]) await link.runAll(`VACUUM FULL ${table}`);
  } catch (error) {
    throw toFault(error, "freeing what was removed", address);
  } finally {
    await link.end();
  }
}
