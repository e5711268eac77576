/**
 * Inside of a sandbox: the server of tools that an agent starts. It passes what the agent says on to the socket of its
 * attempt, behind which the real server is, and back. It imports nothing of Holdfast: it is shown alone, and begins in
 * a moment, since agents do not wait long for their tools.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const file = process.env["HOLDFAST_MCP_SOCKET"] ?? "";
const CONNECT_LIMIT_MS = 20_000;
const CONNECT_PAUSE_MS = 20;

async function connected(): Promise<Socket> {
  for (let waitedMs = 0; ; waitedMs += CONNECT_PAUSE_MS) {
    const socket = connect(file);
    const failed = await new Promise<Error | null>((resolve) => {
      socket.once("connect", () => {
        resolve(null);
      });
      socket.once("error", resolve);
    });
    // Everything that breaks later closes it, and that is waited for.
    socket.on("error", () => undefined);
    if (failed === null) return socket;
    if (waitedMs >= CONNECT_LIMIT_MS) throw new Error(`nobody serves tools at ${file}: ${failed.message}`);
    await delay(CONNECT_PAUSE_MS);
  }
}

const socket = await connected();
socket.once("close", () => process.exit(0));
process.stdin.pipe(socket);
socket.pipe(process.stdout);
