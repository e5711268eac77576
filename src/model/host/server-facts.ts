/** How a database server that hosts share is set up, as its own settings and views say. */
export interface ServerFacts {
  readonly version: string;
  /** Settings by name, as the server shows them. */
  readonly settings: Readonly<Record<string, string>>;
  /** A standby takes no writes. */
  readonly isStandby: boolean;
  /** Servers that follow this one, and how: `sync`, `async`, `quorum`, `potential`; null where we may not see them. */
  readonly standbys: readonly string[] | null;
  /** Connections that are open, of those that there may be. */
  readonly connections: number;
  /** The server's clock, and ours at about the same time. */
  readonly clock: { readonly serverMs: number; readonly ownMs: number; readonly tookMs: number };
  /** Statements of one connection met another process of the server: a pooler gives out transactions. */
  readonly isPooled: boolean;
}

interface ServerFinding {
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly remedy: string | null;
}

const CLOCK_MS_MAX = 2_000;
const CONNECTIONS_SHARE_MAX = 0.8;

/** What of a server's set-up loses acknowledged work or keeps hosts from working, the worst first; empty where nothing does. */
export function serverFindings(server: ServerFacts): ServerFinding[] {
  const { settings } = server;
  const found: ServerFinding[] = [];
  const fail = (text: string, remedy: string): void => void found.push({ state: "fail", text, remedy });
  const warn = (text: string, remedy: string): void => void found.push({ state: "warn", text, remedy });
  if (server.isStandby)
    fail("the server is a standby, which takes no writes", "name the primary in the address of the store");
  if (server.isPooled)
    fail(
      "a pooler gives each transaction another session of the server",
      "set the pooler to session mode (pool_mode = session), or connect without it",
    );
  for (const name of ["fsync", "full_page_writes"])
    if (settings[name] === "off")
      fail(
        `${name} is off: a crash of the server can lose or damage what was acknowledged`,
        `ALTER SYSTEM SET ${name} = on`,
      );
  const offMs = clockOffMs(server);
  if (Math.abs(offMs) > CLOCK_MS_MAX)
    warn(
      `the clock of the server is ${String(Math.round(Math.abs(offMs) / 100) / 10)} s ${offMs > 0 ? "ahead of" : "behind"} this host's`,
      "synchronize both with NTP (timedatectl set-ntp true)",
    );
  const max = Number(settings["max_connections"]);
  if (server.connections > max * CONNECTIONS_SHARE_MAX)
    warn(
      `${String(server.connections)} of ${String(max)} connections are open; each process of Holdfast needs up to 5`,
      "raise max_connections",
    );
  if (server.standbys?.length === 0)
    warn(
      "no standby follows the server: what was acknowledged is on one machine alone",
      "set up a synchronous standby (synchronous_standby_names), or back the database up",
    );
  else if (server.standbys?.every((how) => how === "async") === true)
    warn(
      "its standbys follow without being waited for: a failover can lose what was acknowledged last",
      "set synchronous_standby_names",
    );
  return found;
}

/** Half of the time that the question took lies before the server's look at its clock. */
const clockOffMs = ({ clock }: ServerFacts): number => clock.serverMs - (clock.ownMs - clock.tookMs / 2);
