import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../model/fault.ts";
import { NOT_PROVEN } from "../../model/requests/proved.ts";
import type { RequestFacts } from "../guard/request-facts.ts";
import type { Identity } from "../guard/roles.ts";
import type { AgentAsker, Asker } from "../routes/asker.ts";
import type { CommandWish, HandlerContext } from "../routes/handler-context.ts";
import type { Once } from "../routes/once.ts";
import { COMMAND_TYPE } from "../routes/perform-command.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import type { Served } from "./served.ts";

interface Seen {
  readonly request: IncomingMessage;
  readonly facts: RequestFacts;
  readonly identity: Identity | null;
}

interface SeenAsking extends Seen {
  readonly isWrite: boolean;
}

/** Who asks, under the name that is recorded, and from where. */
export async function askerOf(
  served: Served,
  { request, facts, identity, isWrite }: SeenAsking,
): Promise<Asker> {
  const isAsked = identity !== null && isWrite;
  const agent = isAsked ? (claimedAgent(request) ?? (await served.agentBehind(request))) : null;
  const place = facts.transport === "socket" ? "unix socket" : `http from ${facts.peer}`;
  const login = identity?.how === "session" ? "a session of " : "";
  const token =
    identity?.token === "owner"
      ? "the owner's token"
      : `the token ${identity?.name ?? ""} (${identity?.token ?? ""})`;
  const process = agent?.proof === "process" ? ` from a process of ${agent.attempt}: ${NOT_PROVEN}` : "";
  return { by: identity?.name ?? "nobody", via: `API, ${place}, by ${login}${token}${process}`, agent };
}

/** The header by which our own client says that it runs in an agent's environment. Nobody gains by pretending. */
export const AGENT_HEADER = "holdfast-agent";

function claimedAgent({ headers }: IncomingMessage): AgentAsker | null {
  const value = headers[AGENT_HEADER];
  if (typeof value !== "string" || value === "") return null;
  const [run = "", attempt = ""] = unescaped(value).split(" ");
  return {
    run: run === "-" ? null : run.slice(0, 200),
    attempt: attempt.slice(0, 200) || "unknown",
    proof: "environment",
  };
}

/** A header that is not encoded as it should be still names an agent. */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A request under this key is kept under it, so that asking again asks once. */
const KEY = /^[\w.:-]{1,200}$/;

export function keyOf({ headers }: IncomingMessage): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && KEY.test(key)) return key;
  throw new Fault("usage", "the Idempotency-Key is not understood; expected 1 to 200 of A-Z a-z 0-9 _ . : -");
}

const COLUMNS = 80;
const COLUMNS_MAX = 1_000;

/** People's text is asked for by `Accept: text/plain`, so wide as `columns` says. */
export function columnsOf({ headers }: IncomingMessage): number | null {
  const { accept = "" } = headers;
  if (!/^text\/plain\b/.test(accept)) return null;
  return Math.min(COLUMNS_MAX, Number(/columns=(\d{1,4})/.exec(accept)?.[1] ?? COLUMNS));
}

/** The address that a command line reaches this server by: it stands in commands that are printed. */
const ADDRESS = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/** `Accept: application/vnd.holdfast.command+json; json=1; columns=80; server="https://…"`. */
function commandOf({ headers }: IncomingMessage): CommandWish | null {
  const { accept = "" } = headers;
  if (!accept.startsWith(COMMAND_TYPE)) return null;
  const columns = Math.min(COLUMNS_MAX, Number(/columns=(\d{1,4})/.exec(accept)?.[1] ?? COLUMNS));
  const named = /server="([^"]*)"/.exec(accept)?.[1] ?? "";
  return { json: /json=1/.test(accept), columns, named: ADDRESS.test(named) ? named : null };
}

interface Handled extends Seen {
  readonly response: ServerResponse;
  readonly asker: Asker;
  readonly once: Once;
}

export function handlerContext(
  served: Served,
  { request, response, facts, identity, asker, once }: Handled,
): HandlerContext {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { operations, tokens, sessions, tickets, hub, url, now, guard } = served;
  return {
    ...{ operations, tokens, sessions, tickets, hub, url, now, identity, asker, request, response },
    once,
    columns: columnsOf(request),
    command: commandOf(request),
    openApi: openApiDocument,
    signal: gone.signal,
    session: facts.cookies.get(guard.cookie) ?? null,
  };
}
