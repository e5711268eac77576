import type { HostLock, LockOrder, LocksSeen } from "../../../model/host/host-locks.ts";
import { connector, type Link } from "../link/link.ts";
import type { PostgresTiming } from "../link/postgres-timing.ts";
import type { StoreAddress } from "../link/store-address.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { statement } from "../statements.ts";

/** Beyond a lease, so that the lock of a host that is cut off outlives its right to work; its beats are the sign. */
const BEYOND_LEASE_S = 5;

/** A busy server or machine is no cut cable. Meanwhile the server keeps the lock, and the permit of the agents ends. */
const PATIENCE_MS_MIN = 3_000;

/** The server must not end a session that only holds its lock; and a dead client's may not end before its lease. */
const lockSettings = (leaseMs: number): string => {
  const seconds = Math.ceil(leaseMs / 1_000) + BEYOND_LEASE_S;
  return `
  SET tcp_user_timeout TO '${String(seconds)}s';
  SET tcp_keepalives_idle TO ${String(seconds)};
  SELECT set_config('idle_session_timeout', '0', false) WHERE current_setting('idle_session_timeout', true) IS NOT NULL;`;
};

/**
 * A session advisory lock on a connection of its own, and a look at those of all hosts over the same connection.
 *
 * States: parted, held, closed. What is seen over one connection belongs together: when the server is restarted or
 * another one takes its place, the connection is lost with all locks, and the next look names another session. The lock
 * is shared, so that the connection of a dead predecessor keeps nobody out.
 */
export function hostLock(address: StoreAddress, timing: PostgresTiming, order: LockOrder): HostLock {
  const patienceMs = Math.max(PATIENCE_MS_MIN, order.leaseMs / 3);
  const bounded = {
    ...timing,
    connectMs: Math.min(timing.connectMs, patienceMs),
    answerMs: Math.min(timing.answerMs, patienceMs),
  };
  const connect = connector(address, bounded);
  let link: Link | null = null;
  let isClosed = false;
  const taken = async (): Promise<Link> => {
    if (link !== null && !link.broken) return link;
    const next = await connect();
    try {
      await next.runAll(lockSettings(order.leaseMs));
      await next.run(statement("holdHostLock", order.role, order.host));
    } catch (error) {
      await next.end();
      throw error;
    }
    if (isClosed) await next.end();
    return (link = next);
  };
  return {
    get isLost() {
      return link === null || link.broken;
    },
    async look() {
      if (isClosed) return null;
      try {
        const rows = await (await taken()).run(statement("hostLocks", order.role, order.host));
        return seenIn(rows);
      } catch {
        // Reads and writes report what is wrong; here the lock is only not held.
        await link?.end();
        return null;
      }
    },
    async close() {
      isClosed = true;
      await link?.end();
    },
  };
}

function seenIn(rows: readonly Row[]): LocksSeen | null {
  const [first] = rows;
  // A pooler that gives out transactions: the lock is held by a session of somebody else.
  if (first === undefined || first["is_own"] !== true) return null;
  return {
    session: `${text(first, "timeline")} ${text(first, "server")} ${String(integer(first, "pid"))} ${text(first, "began")}`,
    hosts: rows.flatMap((row) => {
      const host = row["id"];
      const [supervisor, watchdog] = [row["supervisor"] === true, row["watchdog"] === true];
      return typeof host === "string" ? [{ host, supervisor, watchdog }] : [];
    }),
  };
}
