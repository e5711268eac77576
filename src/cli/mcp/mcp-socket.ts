import { createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isSessionOver } from "../../files/session-over.ts";
import type { McpStreams } from "./mcp-stdio.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Serves everybody who calls at a socket, which stands in a folder of the session that it is for, until that session is
 * over. The one that reaches it speaks for that one attempt: the sandbox alone shows the socket.
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
  // The folder above is the session's.
  while (!isSessionOver("..", performance.now() - beganAt)) await delay(LOOK_EVERY_MS);
  for (const peer of peers) peer.destroy();
  await new Promise((resolve) => server.close(resolve));
}
