import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { shellWord } from "../../model/text/command-text.ts";
import { hostText, isOwnMachine, type AllowedHost } from "./allowed-hosts.ts";
import type { Mounted } from "./sandbox-args.ts";
import { ENV_PROGRAM } from "./find-sandbox.ts";
import { programFile } from "./serve-tools.ts";

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
