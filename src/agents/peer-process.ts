import { namesIn } from "../files/folder-size.ts";
import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

/** The two ends of a connection to a server of this process, as far as they say who is at the other one. */
export type PeerConnection =
  | { readonly kind: "tcp"; readonly localPort: number; readonly remotePort: number }
  /** `descriptor`: of this process's end. */
  | { readonly kind: "unix"; readonly descriptor: number };

/**
 * The processes of this machine that hold the other end of a connection; none where the system does not show, or where
 * that is another machine. Linux: the table of sockets names the inode, and the descriptors of processes name theirs.
 */
export function peerProcesses(connection: PeerConnection): number[] {
  if (process.platform !== "linux") return [];
  const inode = connection.kind === "tcp" ? tcpPeer(connection) : unixPeer(connection.descriptor);
  return inode === null ? [] : holdersOf(inode);
}

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"] as const;

/** The end whose own port is the peer's, and whose other port is ours. */
function tcpPeer({ localPort, remotePort }: Extract<PeerConnection, { kind: "tcp" }>): string | null {
  const [own, other] = [hexPort(remotePort), hexPort(localPort)];
  for (const table of TABLES)
    for (const line of textOf(table).split("\n")) {
      const [, local = "", remote = "", , , , , , , inode = "0"] = line.trim().split(/\s+/);
      if (local.endsWith(own) && remote.endsWith(other) && inode !== "0") return inode;
    }
  return null;
}

const hexPort = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;

const SS_LIMIT_MS = 2_000;
const SS_BYTES_MAX = 16 * 1024 * 1024;

/** No file of the kernel pairs the ends of Unix sockets; `ss` asks it by netlink. */
function unixPeer(descriptor: number): string | null {
  const own = inodeOf(`/proc/self/fd/${String(descriptor)}`);
  if (own === null) return null;
  const { stdout, status } = spawnSync("ss", ["-xnHa"], {
    encoding: "utf8",
    timeout: SS_LIMIT_MS,
    maxBuffer: SS_BYTES_MAX,
  });
  if (status !== 0) return null;
  for (const line of stdout.split("\n")) {
    // … LOCAL INODE PEER INODE, of which only the paths may hold spaces.
    const fields = line.trim().split(/\s+/);
    const [local, peer] = [fields.at(-3), fields.at(-1)];
    if (local === own && peer !== undefined && peer !== "0") return peer;
  }
  return null;
}

/** Processes of other users show their descriptors to root alone; they are nobody's agents. */
function holdersOf(inode: string): number[] {
  const found: number[] = [];
  for (const pid of namesIn("/proc").filter((name) => /^[1-9]\d*$/.test(name))) {
    const folder = `/proc/${pid}/fd`;
    if (namesIn(folder).some((name) => inodeOf(`${folder}/${name}`) === inode)) found.push(Number(pid));
  }
  return found;
}

function inodeOf(link: string): string | null {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1] ?? null;
  } catch {
    // It was closed meanwhile, or its process has ended.
    return null;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // A kernel without that protocol has no such table.
    return "";
  }
}
