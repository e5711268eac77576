/**
 * The one way out of a sandbox whose network is its provider: a proxy outside, on a Unix socket that this sandbox alone
 * shows. A process of its own, so that it works on when the supervisor dies; it ends with its session.
 *
 * On disk, in the folder of the session: `network/socket`; `network.refused`, one line per target that was asked for in
 * vain, once each and bounded.
 *
 * 1. Names are resolved here. What is not allowed as it was written is neither resolved nor connected to.
 * 2. A name that leads into this machine or to its neighbours is refused, unless it is allowed as just that.
 */
import { appendFileSync, rmSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { BlockList, connect, isIP, type Socket } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { isSessionOver } from "../../files/session-over.ts";
import { allowing, hostText, isOwnMachine, type AllowedHost } from "./allowed-hosts.ts";

const [session = "", list = "[]"] = process.argv.slice(2);
const allowed = JSON.parse(list) as readonly AllowedHost[];

const SOCKET = "socket";
const PEERS_MAX = 256;
const CONNECT_LIMIT_MS = 30_000;
const REFUSED_MAX = 100;
const LOOK_EVERY_MS = 1_000;

const NEAR = new BlockList();
for (const [net, bits] of [
  ["127.0.0.0", 8],
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
] as const)
  NEAR.addSubnet(net, bits, "ipv4");
NEAR.addAddress("::1", "ipv6");
NEAR.addAddress("::", "ipv6");
NEAR.addSubnet("fe80::", 10, "ipv6");
NEAR.addSubnet("::ffff:0:0", 96, "ipv6");

interface Target {
  readonly host: string;
  readonly port: number;
}

const refused = new Set<string>();

function noteRefused(text: string): void {
  if (refused.has(text) || refused.size >= REFUSED_MAX) return;
  refused.add(text);
  try {
    appendFileSync(path.join(session, "network.refused"), `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch {
    // A full disk: the refusal counts all the same.
  }
}

/** The address to connect to; undefined where it is refused. */
async function addressOf(target: Target): Promise<string | undefined> {
  const by = allowing(allowed, target);
  if (by !== undefined) {
    if (isIP(target.host) !== 0) return target.host;
    const found = await lookup(target.host, { all: true });
    const usable = found.find((one) => isOwnMachine(by) || !isNear(one));
    if (usable !== undefined) return usable.address;
  }
  noteRefused(hostText(target));
  return undefined;
}

const isNear = ({ address, family }: { address: string; family: number }): boolean =>
  NEAR.check(address, family === 6 ? "ipv6" : "ipv4");

function targetOf(text: string, defaultPort: number | null): Target | undefined {
  const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = port === "" ? defaultPort : Number(port);
  if (host === "" || number === null || number < 1 || number > 65_535) return undefined;
  return { host: host.replaceAll(/^\[|\]$/g, ""), port: number };
}

const said = (status: string, text: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}\n`;
const refusal = (what: string): string =>
  `the sandbox of this agent does not reach ${what}; allow it with sandbox.hosts`;

async function tunnel(asked: string, peer: Duplex, head: Buffer): Promise<void> {
  peer.on("error", () => peer.destroy());
  const target = targetOf(asked, null);
  const address = target === undefined ? undefined : await addressOf(target).catch(() => undefined);
  if (target === undefined || address === undefined)
    return void peer.end(said("403 Forbidden", refusal(asked.slice(0, 300))));
  const far = connect({ host: address, port: target.port });
  far.setTimeout(CONNECT_LIMIT_MS, () => far.destroy(new Error("no answer")));
  far.once("connect", () => {
    far.setTimeout(0);
    peer.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    far.write(head);
    far.pipe(peer).pipe(far);
  });
  far.on("error", (error) => peer.end(said("502 Bad Gateway", error.message)));
  far.once("close", () => peer.destroy());
  peer.once("close", () => far.destroy());
}

/** A request in the clear, which names its target whole. */
async function pass(message: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = URL.canParse(message.url ?? "") ? new URL(message.url ?? "") : null;
  const target = url?.protocol === "http:" ? targetOf(url.host, 80) : undefined;
  const address = target === undefined ? undefined : await addressOf(target).catch(() => undefined);
  if (url === null || target === undefined || address === undefined)
    return void answer
      .writeHead(403, { connection: "close" })
      .end(`${refusal(url?.host ?? "what was asked for")}\n`);
  const headers = Object.entries(message.headers).filter(([name]) => !name.startsWith("proxy-"));
  const far = request({
    ...{ host: address, port: target.port, method: message.method, path: `${url.pathname}${url.search}` },
    headers: { ...Object.fromEntries(headers), host: url.host },
  });
  far.once("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  far.on("error", (error) =>
    answer.headersSent ? answer.destroy() : answer.writeHead(502).end(error.message),
  );
  answer.once("close", () => far.destroy());
  message.pipe(far);
}

const peers = new Set<Socket>();
const server = createServer((message, answer) => void pass(message, answer));
server.maxConnections = PEERS_MAX;
server.on("connection", (peer) => {
  peers.add(peer);
  peer.once("close", () => peers.delete(peer));
});
server.on("connect", (message: IncomingMessage, peer: Duplex, head: Buffer) => {
  void tunnel(message.url ?? "", peer, head);
});
server.once("error", () => {
  // Somebody serves there; if nobody does any more, the socket is one that was left.
  connect(SOCKET)
    .once("connect", () => process.exit(0))
    .once("error", () => {
      rmSync(SOCKET, { force: true });
      server.once("error", () => process.exit(1)).listen(SOCKET);
    });
});

server.listen(SOCKET);

const beganAt = performance.now();
setInterval(() => {
  if (isSessionOver(session, performance.now() - beganAt)) process.exit(0);
}, LOOK_EVERY_MS);
