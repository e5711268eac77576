import { existsSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import type { McpStreams } from "./mcp-stdio.ts";

const CONNECT_LIMIT_MS = 20_000;
const CONNECT_PAUSE_MS = 50;

/** For an agent in a sandbox, which reaches nothing of the store: its words go through a socket to who serves it. */
export async function relayTools(file: string): Promise<void> {
  const socket = await connected(file);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  await new Promise((resolve) => socket.once("close", resolve));
}

async function connected(file: string): Promise<Socket> {
  for (let waitedMs = 0; ; waitedMs += CONNECT_PAUSE_MS) {
    const socket = connect(file);
    const failed = await new Promise<Error | null>((resolve) => {
      socket.once("connect", () => {
        resolve(null);
      });
      socket.once("error", resolve);
    });
    // Whatever breaks later closes it, and that is waited for.
    socket.on("error", () => undefined);
    if (failed === null) return socket;
    if (waitedMs >= CONNECT_LIMIT_MS)
      throw new Fault("not_found", `nobody serves tools at ${file}: ${failed.message}`);
    await delay(CONNECT_PAUSE_MS);
  }
}

const LOOK_EVERY_MS = 1_000;
const BEGIN_LIMIT_MS = 60_000;

/**
 * Serves everybody who calls at a socket, which stands in a folder of the session that it is for, until that session is
 * over. Whoever reaches it speaks for that one attempt: the sandbox alone shows the socket.
 */
export async function serveOnSocket(
  file: string,
  serve: (streams: McpStreams) => Promise<void>,
): Promise<void> {
  const peers = new Set<Socket>();
  const server = createServer((peer) => {
    peers.add(peer);
    peer.on("error", () => undefined);
    peer.once("close", () => peers.delete(peer));
    const write = (line: string): void => void peer.write(line);
    void serve({ input: peer, write }).finally(() => peer.end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(file, resolve);
  });
  const beganAt = performance.now();
  while (!isOver(performance.now() - beganAt)) await delay(LOOK_EVERY_MS);
  for (const peer of peers) peer.destroy();
  await new Promise((resolve) => server.close(resolve));
}

/** The folder above is the session's: its keeper tells the exit there, and is known by its identity. */
function isOver(sinceMs: number): boolean {
  if (existsSync("../exit")) return true;
  const text = plainTextIfAny("../identity", { bytesMax: 4_096 });
  const pid = /"pid":(\d+)/.exec(text ?? "")?.[1];
  return pid === undefined ? sinceMs > BEGIN_LIMIT_MS : !isThere(Number(pid));
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
