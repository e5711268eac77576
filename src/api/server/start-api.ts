import { createHash } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { failedLogins } from "../guard/failed-logins.ts";
import type { Transport } from "../guard/request-facts.ts";
import { sessionFile, sessions } from "../guard/sessions.ts";
import { apiFolder, tokenStore, type TokenStore } from "../guard/token-store.ts";
import type { Operations } from "../routes/handler-context.ts";
import { baseFiles } from "../stream/base-files.ts";
import { eventHub } from "../stream/event-hub.ts";
import { addressesOf, checkListening, isLoopback, type Listening, urlOf } from "./listening.ts";
import { terminalServer } from "../terminal/terminal-server.ts";
import { tickets } from "../terminal/tickets.ts";
import { doOnce, type DoOnce } from "./do-once.ts";
import { keptWrites } from "./kept-writes.ts";
import { inFlight, type Served } from "./served.ts";
import { serveRequest } from "./serve-request.ts";
import { webFiles } from "./web-files.ts";

export interface ApiOptions extends Listening {
  readonly stateFolder: string;
  /** Under which the owner's requests are recorded. */
  readonly owner: string;
  readonly operations: Operations;
  readonly agentBehind: Served["agentBehind"];
  /** Of Holdfast. */
  readonly version: string;
  /** Part of the socket's name: servers of several stores may live side by side. */
  readonly mark: string;
  readonly now: () => number;
  readonly note: (text: string) => void;
  /** For tests: may end the process. */
  readonly crashPoint: (name: string) => void;
  readonly bodyMs?: number;
  /** Where the dashboard was built to. */
  readonly webFolder: string;
}

export interface RunningApi {
  readonly url: string;
  readonly socket: string;
  readonly tokenFile: string;
  /** How long nobody has asked for anything, while no stream is open; 0 with one. */
  idleMs(): number;
  /** Ends streams, lets requests that are under way end, and then what is still open. */
  close(): Promise<void>;
}

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const SOCKET_IDLE_MS = 90_000;
const CONNECTIONS_MAX = 4_096;
const HEADER_BYTES_MAX = 64 * 1024;
const BODY_MS = 10_000;
const CLOSE_MS = 5_000;
const CLOSE_LOOK_MS = 50;

const steadyMs = (): number => performance.now();

/** Listens on an address and on a Unix socket; both are open when this answers. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { stateFolder, owner, operations, now, note, agentBehind } = options;
  const tokens = tokenStore(stateFolder, owner, now);
  checkListening(options, tokens.list().length);
  makeOwnFolder(apiFolder(stateFolder));
  tokens.ensureOwner();
  const served = { current: null as Served | null };
  const tcp = makeServer(options, listener(served, "tcp", note));
  const unix = createServer(
    { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false },
    listener(served, "socket", note),
  );
  const socket = socketFile(stateFolder, options.mark);
  const port = await listenOn(tcp, options);
  const url = urlOf(options, port);
  const open = sessions({
    ...{ steadyMs, now },
    isGood: (id) => tokens.isGood(id),
    file: sessionFile(path.join(apiFolder(stateFolder), `sessions${options.mark}.json`)),
  });
  const hub = eventHub(operations.journal, baseFiles(path.join(apiFolder(stateFolder), "bases")));
  served.current = {
    guard: {
      addresses: addressesOf(options, port),
      cookie: `holdfast_${String(port)}`,
      tokens,
      sessions: open,
      failed: failedLogins(steadyMs),
    },
    ...{ version: options.version, tokens, sessions: open, tickets: tickets(steadyMs), operations, hub },
    ...{ url, now, note, agentBehind },
    isSecure: url.startsWith("https:"),
    web: webFiles(options.webFolder),
    limits: { bodyMs: options.bodyMs ?? BODY_MS },
    inFlight: inFlight(),
    writes: writesOf(options, tokens),
    lastAskedAt: steadyMs(),
  };
  const terminals = terminalServer();
  const transports = [[tcp, "tcp"] as const, [unix, "socket"] as const];
  for (const [server, transport] of transports)
    server.on("upgrade", (request, socket, head) => {
      if (served.current === null) return void socket.destroy();
      terminals.upgrade(served.current, request, { socket, head, transport });
    });
  await listenOnSocket(unix, socket);
  for (const server of [tcp, unix]) limit(server);
  return {
    url,
    socket,
    tokenFile: tokens.ownerFile,
    idleMs: () => (hub.readers > 0 ? 0 : steadyMs() - (served.current?.lastAskedAt ?? 0)),
    async close() {
      hub.close();
      terminals.close();
      await Promise.all([tcp, unix].map(closeServer));
      rmSync(socket, { force: true });
    },
  };
}

function writesOf({ stateFolder, mark, now, crashPoint }: ApiOptions, tokens: TokenStore): DoOnce {
  const writes = keptWrites(path.join(apiFolder(stateFolder), `writes${mark}`), now);
  return doOnce({ writes, ownSecret: () => tokens.ownSecret(), now, crashPoint });
}

const listener =
  (
    served: { readonly current: Served | null },
    transport: Transport,
    note: (text: string) => void,
  ): RequestListener =>
  (request, response) => {
    const { current } = served;
    if (current === null) return void response.destroy();
    current.lastAskedAt = steadyMs();
    serveRequest(current, request, response, transport).catch((error: unknown) => {
      note(`a request could not be answered: ${errorText(error)}`);
      response.destroy();
    });
  };

function makeServer({ tls }: ApiOptions, answer: RequestListener): Server {
  // Without a Host header the guard answers, as for any other wrong one.
  const limits = { maxHeaderSize: HEADER_BYTES_MAX, requireHostHeader: false };
  return tls === null
    ? createServer(limits, answer)
    : createTlsServer({ ...limits, cert: tls.cert, key: tls.key, minVersion: "TLSv1.2" }, answer);
}

/** What Node itself refuses before there is a request. */
const REFUSED_EARLY: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

function limit(server: Server): void {
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.setTimeout(SOCKET_IDLE_MS);
  server.maxConnections = CONNECTIONS_MAX;
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket) => {
    const status = REFUSED_EARLY[code] ?? "400 Bad Request";
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    else socket.destroy();
  });
}

/** The address named, or where none is named the default one and else any free port. */
async function listenOn(server: Server, { host, port, isNamed, note }: ApiOptions): Promise<number> {
  try {
    return await listened(server, { host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE" && !isNamed) {
      note(`${host}:${String(port)} is in use by another program: a free port is taken; --listen names one`);
      return listened(server, { host, port: 0 });
    }
    const why = code === "EADDRINUSE" ? "another program listens there" : errorText(error);
    throw new Fault(
      "usage",
      `${host}:${String(port)} cannot be listened on: ${why}; expected a free address, such as --listen ${isLoopback(host) ? host : "127.0.0.1"}:0`,
      { cause: error },
    );
  }
}

function listened(server: Server, where: { readonly host: string; readonly port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, exclusive: true }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The system bounds the length of a socket's path. */
const SOCKET_PATH_MAX = 100;

function socketFile(stateFolder: string, mark: string): string {
  const file = path.join(apiFolder(stateFolder), `holdfast${mark}.sock`);
  if (Buffer.byteLength(file) <= SOCKET_PATH_MAX) return file;
  const name = createHash("sha256").update(file).digest("hex").slice(0, 16);
  const folder = path.join(
    process.env["XDG_RUNTIME_DIR"] ?? tmpdir(),
    `holdfast-${String(process.getuid?.() ?? 0)}`,
  );
  makeOwnFolder(folder);
  return path.join(folder, `${name}.sock`);
}

/** A socket that a server left behind is nobody's; one that answers is another server's of this store. */
async function listenOnSocket(server: Server, file: string): Promise<void> {
  if (await answers(file))
    throw new Fault(
      "refused",
      `another server of this store is listening on ${file}; end it, or use it: \`holdfast dashboard\``,
      { details: { socket: file } },
    );
  rmSync(file, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // The folder is the owner's alone, so that there is no moment in which others could connect.
    server.listen(file, () => {
      chmodSync(file, 0o600);
      resolve();
    });
  });
}

const answers = (file: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(file);
    const end = (isAnswered: boolean): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    // A connection whose last request was answered meanwhile is idle as well.
    const look = setInterval(() => server.closeIdleConnections(), CLOSE_LOOK_MS);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(look);
      resolve();
    });
    server.closeIdleConnections();
  });
}
