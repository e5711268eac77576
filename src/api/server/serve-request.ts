import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { asFault, Fault } from "../../model/fault.ts";
import { admit } from "../guard/guard.ts";
import { requestFacts, type RequestFacts, type Transport } from "../guard/request-facts.ts";
import type { Identity } from "../guard/roles.ts";
import type { HandlerAnswer } from "../routes/define-route.ts";
import { matchRoute, type Matched } from "../routes/match-route.ts";
import { justOnce, type Once } from "../routes/once.ts";
import { API_PREFIX } from "../routes/route-paths.ts";
import { askerOf, columnsOf, handlerContext, keyOf } from "./handler-facts.ts";
import { faultProblem, refusalProblem, sendAnswer, sendProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";
import { servePage } from "./serve-page.ts";
import type { Served } from "./served.ts";

/** One request from its first line to its answer. Everything a handler throws becomes a problem document. */
export async function serveRequest(
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
  transport: Transport,
): Promise<void> {
  const facts = requestFacts(request, transport);
  const path = facts.target.split("?")[0] ?? "";
  if (!path.startsWith(`${API_PREFIX}/`)) return servePage(served, facts, response);
  const matched = matchRoute(facts.method, path);
  const admission = admit(served.guard, facts, "status" in matched ? matched : matched.route);
  if (admission.kind === "refused" || "status" in matched) {
    const refusal =
      admission.kind === "refused" ? admission.refusal : (matched as Exclude<typeof matched, Matched>);
    const { headers = {} } = refusal;
    return sendProblem(response, refusalProblem(refusal), { close: facts.method !== "GET", headers });
  }
  await answer(served, { request, response, facts, matched, identity: admission.identity });
}

interface Admitted {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly facts: RequestFacts;
  readonly matched: Matched;
  readonly identity: Identity | null;
}

async function answer(served: Served, admitted: Admitted): Promise<void> {
  const { response, matched } = admitted;
  try {
    // Shown to nobody who was not admitted.
    response.setHeader("holdfast-version", served.version);
    const answered = await served.inFlight.take(matched.route, () => handle(served, admitted));
    if (answered !== null) sendAnswer(response, answered);
  } catch (thrown) {
    const fault = asFault(thrown);
    if (fault.code === "broken_promise") served.note(`${matched.route.name}: ${fault.message}`);
    sendProblem(response, faultProblem(fault));
  }
}

/** Null where it was answered already. */
async function handle(served: Served, admitted: Admitted): Promise<HandlerAnswer | null> {
  const { request, response, facts, matched, identity } = admitted;
  const { route } = matched;
  const asker = await askerOf(served, { facts, identity, request, isWrite: route.isWrite });
  // Who does not say so and is found to be one asks runs as the agent that it is: their journals say so, and their rules
  // hold. Everything else is for people.
  if (asker.agent !== null && (asker.agent.proof === "environment" || !route.asksRuns))
    throw new Fault(
      "refused",
      `${asker.agent.attempt} is an agent; agents ask nothing through the API, expected the tools that Holdfast gives them`,
    );
  const query = parsed(route.query, queryOf(facts.target), "the query");
  const params = parsed(route.params, matched.params, "the path");
  let body: unknown = undefined;
  if (route.body !== null) {
    const read = await readBody(request, { bytesMax: route.bodyBytesMax, withinMs: served.limits.bodyMs });
    if (read.kind === "gone") return null;
    if (read.kind === "refused") {
      sendProblem(response, refusalProblem(read.refusal), { close: true });
      return null;
    }
    body = parsed(route.body, jsonOf(read.text), "the body");
  }
  const act = (once: Once): Promise<HandlerAnswer> =>
    route.handle(handlerContext(served, { request, response, facts, identity, asker, once }), {
      ...{ params, query, body },
    } as never);
  if (!route.isWrite) return act(justOnce);
  const asked = { params, query, body, who: identity?.token, isText: columnsOf(request) !== null };
  const onReplay = (): void => void response.setHeader(REPLAYED_HEADER, "true");
  const write = { key: keyOf(request), route: route.name, asked, kept: route.kept, onReplay };
  return served.writes.perform(write, act);
}

/** The request was done before; this is how it was answered then. */
const REPLAYED_HEADER = "idempotent-replayed";

function queryOf(target: string): Record<string, string> {
  const at = target.indexOf("?");
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(at === -1 ? "" : target.slice(at + 1))) {
    if (found.has(name))
      throw new Fault("usage", `the query names ${JSON.stringify(name)} twice; expected once`);
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Fault("usage", "the body is no JSON; expected one JSON document", { cause });
  }
}

const ISSUES_MAX = 10;
const SEEN_CHARS_MAX = 40;

function parsed(schema: z.ZodType, value: unknown, what: string): unknown {
  const strict =
    "strict" in schema && typeof schema.strict === "function" ? (schema as z.ZodObject).strict() : schema;
  const read = strict.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues
    .slice(0, ISSUES_MAX)
    .map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const said = issues
    .map(({ path, message }) => (path === "" ? message : `${path}${seenAt(value, path)}: ${message}`))
    .join("; ");
  throw new Fault(
    "usage",
    `${what} is not as this route takes it: ${said}; expected what ${API_PREFIX}/openapi.json describes`,
    {
      details: { issues },
    },
  );
}

/** A short value, as it was given: ` is "x"`. */
function seenAt(given: unknown, name: string): string {
  const value =
    typeof given === "object" && given !== null && Object.hasOwn(given, name)
      ? (given as Readonly<Record<string, unknown>>)[name]
      : undefined;
  return typeof value === "string" && value.length <= SEEN_CHARS_MAX ? ` is ${JSON.stringify(value)}` : "";
}
