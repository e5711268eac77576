import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";

/**
 * A real PostgreSQL server for tests, in a temporary folder, from the system's packages; fsync is on, as it is
 * unless somebody turns it off.
 *
 * States: running, or down after `kill` until `start`; removed at last. A guard process of its own holds the other
 * end of a pipe: when this process ends, however it ends, the guard ends the server and removes the folder.
 */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Ends every process of the server at once, as a crash of its machine would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, and waits until it answers. */
  start(): Promise<void>;
  /** Runs a statement as the server's owner. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** In the address, so that tests can look for it where it must not be. */
export const TEST_PASSWORD = "open-sesame";
const USER = "holdfast";
const READY_MS_MAX = 60_000;
const VERSIONS = "/usr/lib/postgresql";

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The folder with the server's programs, the newest if there are several. */
function programs(): string | null {
  const packaged = existsSync(VERSIONS)
    ? readdirSync(VERSIONS)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => path.join(VERSIONS, version, "bin"))
    : [];
  const folders = [...packaged, ...(process.env["PATH"] ?? "").split(path.delimiter)];
  return (
    folders.find(
      (folder) => isProgram(path.join(folder, "postgres")) && isProgram(path.join(folder, "initdb")),
    ) ?? null
  );
}

const isRoot = process.getuid?.() === 0;

/** The server refuses to run as root: somebody harmless does it instead. */
function unprivileged(): { readonly uid: number; readonly gid: number; readonly prefix: string[] } | null {
  for (const user of ["postgres", "nobody"]) {
    const ids = ["-u", "-g"].map((flag) => spawnSync("id", [flag, user], { encoding: "utf8" }).stdout.trim());
    const [uid = NaN, gid = NaN] = ids.map((id) => (id === "" ? NaN : Number(id)));
    if (Number.isNaN(uid) || Number.isNaN(gid)) continue;
    const prefix = ["setpriv", `--reuid=${String(uid)}`, `--regid=${String(gid)}`, "--clear-groups", "--"];
    return { uid, gid, prefix };
  }
  return null;
}

/** Why no server can be started here, or null if one can. */
export function postgresMissing(): string | null {
  if (programs() === null)
    return "PostgreSQL is not installed here (no postgres and initdb under /usr/lib/postgresql or on the path)";
  if (!isRoot) return null;
  if (unprivileged() === null)
    return "running as root, and there is no user postgres or nobody to run PostgreSQL as";
  return spawnSync("setpriv", ["--version"]).error === undefined
    ? null
    : "running as root, and there is no setpriv to run PostgreSQL as somebody else";
}

const GUARD = `
  cat > /dev/null
  pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
  if [ -n "$pid" ]; then
    kill -QUIT "$pid" 2> /dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2> /dev/null || break; sleep 0.3; done
    kill -KILL "$pid" 2> /dev/null
  fi
  rm -rf "$1"`;

export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const bin = programs();
  if (bin === null) throw new Error(postgresMissing() ?? "no PostgreSQL");
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-pg-"));
  const guard = spawn("sh", ["-c", GUARD, "guard", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  const guarded = new Promise<void>((resolve) => guard.on("exit", () => resolve()));
  const prefix = makeCluster(bin, folder);
  const port = await freePort();
  const url = `postgres://${USER}:${TEST_PASSWORD}@127.0.0.1:${String(port)}/postgres`;
  const start = async (): Promise<void> => {
    launch([...prefix, path.join(bin, "postgres")], { folder, port, settings });
    await untilReady(url, folder);
  };
  const server: PostgresServer = {
    url,
    port,
    start,
    kill: () => killAll(folder),
    query: (text, values) => queryOnce(url, text, values),
    async remove() {
      guard.ref();
      guard.stdin.end();
      await guarded;
    },
  };
  await start().catch(async (error: unknown) => {
    await server.remove();
    throw error;
  });
  return server;
}

/** Gives what a program of the server must be started with. */
function makeCluster(bin: string, folder: string): string[] {
  const other = isRoot ? unprivileged() : null;
  const passwordFile = path.join(folder, "password");
  writeFileSync(passwordFile, `${TEST_PASSWORD}\n`);
  if (other !== null) for (const file of [folder, passwordFile]) chownSync(file, other.uid, other.gid);
  const prefix = other?.prefix ?? [];
  const [command = "", ...args] = [
    ...prefix,
    path.join(bin, "initdb"),
    ...["--pgdata", path.join(folder, "data"), "--username", USER, "--pwfile", passwordFile],
    ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync", "--data-checksums"],
  ];
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  return prefix;
}

function launch(
  [command = "", ...args]: readonly string[],
  { folder, port, settings }: { folder: string; port: number; settings: Readonly<Record<string, string>> },
): void {
  const all = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "60",
    shared_buffers: "32MB",
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(path.join(folder, "log"), "a");
  const child = spawn(command, [...args, "-D", path.join(folder, "data"), ...options], {
    cwd: folder,
    stdio: ["ignore", log, log],
    detached: true,
  });
  child.unref();
  closeSync(log);
}

function postmaster(folder: string): number | null {
  const file = path.join(folder, "data", "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : NaN;
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** The server's processes: their parent, and on Linux its children, which are no group of it. */
function processesOf(parent: number): number[] {
  if (!existsSync("/proc/self/stat")) return [parent];
  const children = readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
  return [parent, ...children];
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended while we looked.
    return null;
  }
}

async function killAll(folder: string): Promise<void> {
  const parent = postmaster(folder);
  if (parent === null) return;
  const pids = processesOf(parent);
  for (const pid of pids) signal(pid, "SIGKILL");
  // A parent that nobody has buried yet still keeps the folder locked; its children need not be waited for.
  while (signal(parent, 0) || pids.some((pid) => signal(pid, 0) && !isZombie(pid))) await pause(5);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // Gone already.
    return false;
  }
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true;
  }
}

async function untilReady(url: string, folder: string): Promise<void> {
  const lateMs = performance.now() + READY_MS_MAX;
  for (;;) {
    try {
      await queryOnce(url, "SELECT 1");
      return;
    } catch (error) {
      if (performance.now() < lateMs) await pause(20);
      else
        throw new Error(
          `PostgreSQL did not start: ${readFileSync(path.join(folder, "log"), "utf8").slice(-2_000)}`,
          {
            cause: error,
          },
        );
    }
  }
}

async function queryOnce(url: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
