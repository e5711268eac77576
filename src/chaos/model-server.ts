import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText, Fault } from "../model/fault.ts";
import type { ModelScript } from "../model/agent/model-script.ts";
import { planAnswer, type Tally } from "./answer-request.ts";
import { deliver } from "./deliver.ts";
import { RequestLog, type LoggedRequest } from "./request-log.ts";
import { routeRequest } from "./route-request.ts";

/**
 * A model provider on loopback that says what a script wants and fails as it wants. It keeps nothing between requests
 * but how often each place of the script was asked for; where a conversation stands is read from its history.
 */
export interface ModelServer {
  readonly url: string;
  /** What was asked so far, oldest first; the latest ten thousand at most. */
  readonly requests: () => readonly LoggedRequest[];
  readonly close: () => Promise<void>;
}

export interface ModelServerOptions {
  readonly script: ModelScript;
  /** 0 or none: whichever is free. */
  readonly port?: number;
  /** A file that gets one JSON line per request. */
  readonly log?: string;
  readonly onRequest?: (request: LoggedRequest) => void;
  /** A request is answered after this has resolved; what it waits for is on record before. */
  readonly hold?: (request: LoggedRequest) => Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1_024 * 1_024;

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const log = new RequestLog(options.log, options.onRequest ?? (() => undefined));
  const tally: Tally = new Map();
  const server = createServer((request, response) => {
    void serve({ options, log, tally }, request, response).catch(() => response.destroy());
  });
  // A hang is a fault of the script's choosing, never of this server's own impatience.
  server.requestTimeout = 0;
  server.timeout = 0;
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests: () => [...log.requests],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(notListening(port, error)));
    // Loopback only: everything that is sent here was meant for somebody else.
    server.listen(port, "127.0.0.1", resolve);
  });
}

const notListening = (port: number, error: unknown): Fault =>
  new Fault(
    "refused",
    `port ${String(port)} of 127.0.0.1 cannot be listened on: ${errorText(error)}; name another, or none for any that is free`,
    { cause: error },
  );

interface Workings {
  readonly options: ModelServerOptions;
  readonly log: RequestLog;
  readonly tally: Tally;
}

async function serve(
  { options, log, tally }: Workings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? "";
  const routed = routeRequest(method, request.url ?? "");
  const body = await readBody(request);
  const plan = planAnswer(options.script, tally, { routed, body, nowMs: Date.now() });
  const logged = log.add({ method, path: routed.path, ...plan.logged }, body);
  await options.hold?.(logged);
  await deliver(response, plan.reply, plan.manner);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_BYTES_MAX) throw new Error("the request is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
