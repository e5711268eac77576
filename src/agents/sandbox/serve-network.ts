import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type McpServer, TOOLS_RELAY, TOOLS_SOCKET } from "../mcp-servers.ts";
import { type AllowedHost, hostText, isOwnMachine } from "./allowed-hosts.ts";
import { ENV_PROGRAM } from "./find-sandbox.ts";
import type { Mounted } from "./sandbox-args.ts";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { shellWord } from "../../model/text/command-text.ts";

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
  // Without it the agent learns only at its first call that nobody serves.
  server.on("error", () => undefined);
  server.unref();
  return {
    writes: {},
    reads: { [path.dirname(TOOLS_SOCKET)]: folder, [TOOLS_RELAY]: programFile("tools-relay") },
  };
}

/** A program of its own. Programs lie beside each other where they are built, and beside this file where they are not. */
const programFile = (name: string): string =>
  fileURLToPath(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url));

/** The way out of a sandbox whose network is its provider. */
export interface NetworkWay {
  readonly mounted: Mounted;
  readonly env: Readonly<Record<string, string>>;
  /** What a shell inside runs before the program, which begins once the way is open. */
  readonly opening: string;
}

const SHOWN = "/run/holdfast/network";
/** Nothing else listens in a network that is the sandbox's own. */
const PORT = 3128;
const PROXY = `http://127.0.0.1:${String(PORT)}`;
const OWN = "localhost,127.0.0.1,::1";

/**
 * Starts the proxy outside, which works on when the supervisor dies and ends with the session. It begins in the socket's
 * folder, since the address of a socket is short, and without an environment. One that finds the socket taken leaves.
 */
export function serveNetwork(hosts: readonly AllowedHost[], session: string): NetworkWay {
  const folder = path.join(session, "network");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const proxy = spawn(process.execPath, [programFile("network-proxy"), session, JSON.stringify(hosts)], {
    ...{ cwd: folder, detached: true, stdio: "ignore", env: {} },
  });
  // Without it nothing can be reached.
  proxy.on("error", () => undefined);
  proxy.unref();
  const forwarder = programFile("network-forwarder");
  const shown = `${SHOWN}-forwarder.m${path.extname(forwarder).slice(1)}`;
  const near = hosts.flatMap((one) =>
    isOwnMachine(one) && !one.below
      ? (one.port === null ? [443, 80] : [one.port]).map((port) => hostText({ host: one.host, port }))
      : [],
  );
  const words = [process.execPath, shown, `${SHOWN}/socket`, String(PORT), ...new Set(near)];
  return {
    mounted: { writes: {}, reads: { [SHOWN]: folder, [shown]: forwarder } },
    env: Object.fromEntries([
      ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => both(name, PROXY)),
      ...both("NO_PROXY", OWN),
      ["NODE_USE_ENV_PROXY", "1"],
    ]),
    opening: `: "$(${ENV_PROGRAM} -i ${words.map(shellWord).join(" ")} 2>/dev/null &)"; `,
  };
}

const both = (name: string, value: string): readonly (readonly [string, string])[] => [
  [name, value],
  [name.toLowerCase(), value],
];

/** What a session asked for in vain, in words; null where there is nothing. */
export function refusedText(session: string): string | null {
  const text = plainTextIfAny(path.join(session, "network.refused"), { bytesMax: RECORD_BYTES_MAX }) ?? "";
  const targets = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as string]));
  if (targets.length === 0) return null;
  const more = targets.length > SHOWN_MAX ? ` and ${String(targets.length - SHOWN_MAX)} more` : "";
  return `the sandbox refused the network to ${targets.slice(0, SHOWN_MAX).join(", ")}${more}; allow hosts with sandbox.hosts`;
}

const SHOWN_MAX = 20;
