import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { asFault, errorText, Fault } from "../../model/fault.ts";
import { admit } from "../guard/guard.ts";
import { requestFacts, type Transport } from "../guard/request-facts.ts";
import type { Refusal } from "../guard/refusal.ts";
import { suffices } from "../guard/roles.ts";
import { askerOf } from "../server/handler-facts.ts";
import { faultProblem, refusalProblem, type Problem } from "../server/problem.ts";
import type { Served } from "../server/served.ts";
import { findTerminal } from "./find-terminal.ts";
import { holders } from "./holders.ts";
import { TERMINAL_PATH, TERMINAL_PROTOCOL, TICKET_PREFIX } from "./messages.ts";
import { TerminalConnection } from "./terminal-connection.ts";

/** Takes over connections that ask to become WebSockets, after the same guard as every other request. */
export interface TerminalServer {
  upgrade(served: Served, request: IncomingMessage, at: Upgrading): void;
  close(): void;
}

export interface Upgrading {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly transport: Transport;
}

const MESSAGE_BYTES_MAX = 64 * 1024;
const VIEWERS_MAX = 64;
const PING_EVERY_MS = 20_000;

export function terminalServer(): TerminalServer {
  const open = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: () => TERMINAL_PROTOCOL,
  });
  const taken = holders();
  const received = new WeakSet();
  const pinging = setInterval(() => {
    for (const client of open.clients) {
      if (!received.delete(client)) client.terminate();
      else client.ping();
    }
  }, PING_EVERY_MS);
  pinging.unref();
  return {
    upgrade(served, request, { socket, head, transport }) {
      socket.on("error", () => socket.destroy());
      admitted(served, request, transport)
        .then((found) => {
          if (open.clients.size >= VIEWERS_MAX)
            throw new Fault("store_busy", `${String(VIEWERS_MAX)} terminals are open; close one`, {
              retry: "later",
            });
          open.handleUpgrade(request, socket, head, (client) => {
            received.add(client);
            client.on("pong", () => received.add(client));
            new TerminalConnection(client, { ...found, operations: served.operations, holders: taken });
          });
        })
        .catch((thrown: unknown) => {
          const problem = thrown instanceof Refused ? thrown.problem : faultProblem(asFault(thrown));
          if (problem.status >= 500) served.note(`a terminal could not be shown: ${errorText(thrown)}`);
          refuse(socket, problem);
        });
    },
    close() {
      clearInterval(pinging);
      for (const client of open.clients) client.close(1001);
      open.close();
    },
  };
}

class Refused extends Error {
  readonly problem: Problem;
  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.problem = refusalProblem(refusal);
  }
}

/** The guard's own rules come first; then a page must be named as the origin, and the ticket must be good. */
async function admitted(served: Served, request: IncomingMessage, transport: Transport) {
  const facts = requestFacts(request, transport);
  const route =
    facts.target.split("?")[0] === TERMINAL_PATH && facts.method === "GET"
      ? ({ role: "viewer", isWrite: false } as const)
      : ({
          status: 404,
          code: "no_such_route",
          detail: "there is no such WebSocket",
          expected: TERMINAL_PATH,
        } as const);
  const admission = admit(served.guard, facts, route);
  if (admission.kind === "refused") throw new Refused(admission.refusal);
  const { identity } = admission;
  const ticket = ticketOf(request);
  const at = identity === null || ticket === null ? null : served.tickets.take(ticket, identity);
  if (identity === null || at === null) throw new Refused(NO_TICKET);
  if (identity.how === "session" && facts.origins.length !== 1) throw new Refused(NO_ORIGIN);
  const asker = await askerOf(served, { facts, identity, request, isWrite: true });
  if (asker.agent !== null)
    throw new Fault("refused", `${asker.agent.attempt} is an agent; agents see no terminals`);
  const state = await served.operations.loadRun(at.run);
  if (state === null) throw new Fault("not_found", `there is no run "${at.run}" in this store`);
  const { attempt, spec } = findTerminal(state, at.attempt);
  const mayType = (): string | null => {
    if (!suffices(identity.role, "operator"))
      return `${identity.name} is ${identity.role}; typing needs the role operator`;
    return served.tokens.isGood(identity.token) ? null : "the token of this session is not valid any more";
  };
  return { asker, run: at.run, attempt: attempt.id, session: attempt.session, spec, mayType };
}

const NO_TICKET: Refusal = {
  status: 401,
  code: "unauthenticated",
  detail:
    "the connection carries no ticket that is good: each is good once, for half a minute, for the one it was made out to",
  expected: "a ticket of POST /api/v1/runs/RUN/terminal/tickets",
};
const NO_ORIGIN: Refusal = {
  status: 403,
  code: "origin_refused",
  detail: "a WebSocket by cookie without Origin is refused",
  expected: "a connection of this server's own pages",
};

/** It comes as a protocol, since an address would stand in logs. */
function ticketOf({ headers }: IncomingMessage): string | null {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((word) => word.trim());
  if (!offered.includes(TERMINAL_PROTOCOL)) return null;
  return offered.find((word) => word.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length) ?? null;
}

function refuse(socket: Duplex, problem: Problem): void {
  const body = `${JSON.stringify(problem)}\n`;
  socket.end(
    [
      `HTTP/1.1 ${String(problem.status)} ${problem.code}`,
      "content-type: application/problem+json",
      `content-length: ${String(Buffer.byteLength(body))}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
