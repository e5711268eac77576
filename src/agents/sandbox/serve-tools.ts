import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type McpServer, TOOLS_RELAY, TOOLS_SOCKET } from "../mcp-servers.ts";
import type { Mounted } from "./sandbox-args.ts";

/**
 * Starts who serves an attempt's tools, outside of its sandbox and with its token: a process of its own, which goes on
 * when the supervisor dies and ends with the session. It begins in the socket's folder, since the address of a socket
 * is short. One that finds the socket taken leaves.
 */
export function serveTools({ command, args, env }: McpServer, session: string): Mounted {
  const folder = path.join(session, "tools");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const server = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: { ...process.env, ...own, HOLDFAST_MCP_LISTEN: path.basename(TOOLS_SOCKET) },
  });
  // Without it the agent is told at its first call that nobody serves.
  server.on("error", () => undefined);
  server.unref();
  return {
    writes: {},
    reads: { [path.dirname(TOOLS_SOCKET)]: folder, [TOOLS_RELAY]: programFile("tools-relay") },
  };
}

/** A program of its own. Programs lie beside each other where they are built, and beside this file where they are not. */
export const programFile = (name: string): string =>
  fileURLToPath(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url));
