import { Fault } from "../../model/fault.ts";
import type { HandlerAnswer } from "../routes/define-route.ts";
import type { HandlerContext } from "../routes/handler-context.ts";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import type { StreamFrom } from "./event-hub.ts";
import { ALSO_KINDS, isStreamed, kindOf } from "./position.ts";
import type { Pipe } from "./subscriber.ts";

export interface StreamQuery {
  readonly run?: string | undefined;
  readonly type?: string | undefined;
  readonly also?: string | undefined;
  readonly since?: number | undefined;
  readonly after?: string | undefined;
  readonly from?: "now" | "start" | undefined;
}

const RUNS_MAX = 100;
const READERS_MAX = 1_500;

/** Hands the connection over to the hub, which writes what happens until either side ends it. */
export async function serveStream(context: HandlerContext, query: StreamQuery): Promise<HandlerAnswer> {
  const { operations, hub, request, response } = context;
  if (hub.readers >= READERS_MAX)
    throw new Fault(
      "store_busy",
      `${String(hub.readers)} streams are open; expected at most ${String(READERS_MAX)}: end one that is not needed`,
      { retry: "later" },
    );
  const named = query.run?.split(",").slice(0, RUNS_MAX) ?? null;
  const find = async (text: string): Promise<string> =>
    kindOf(text) !== null && isStreamed(text) ? text : operations.findRun(text);
  const runs = named === null ? null : await Promise.all(named.map(find));
  const types = query.type === undefined ? null : new Set(query.type.split(","));
  const last = request.headers["last-event-id"];
  const from = startOf(query, typeof last === "string" && last !== "" ? last : null, runs);
  request.socket.setTimeout(0);
  request.socket.setNoDelay(true);
  response.setTimeout(0);
  const begin = (): void => {
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
  };
  const pipe = lateHead(response, begin);
  const filter = { runs: runs === null ? null : new Set(runs), types, also: alsoOf(query.also) };
  const subscription = await hub.subscribe({ pipe, filter, from });
  if (subscription === null && !response.destroyed) throw cursorGone();
  return { kind: "taken" };
}

function alsoOf(text: string | undefined): ReadonlySet<string> {
  const kinds = new Set(text === undefined || text === "" ? [] : text.split(","));
  for (const kind of kinds)
    if (!ALSO_KINDS.some((known) => known === kind))
      throw new Fault(
        "usage",
        `also is ${JSON.stringify(kind.slice(0, 80))}; expected ${ALSO_KINDS.join(" or ")}`,
      );
  return kinds;
}

function startOf(
  { since, after, from }: StreamQuery,
  last: string | null,
  runs: readonly string[] | null,
): StreamFrom {
  const cursor = last ?? after;
  if (cursor !== undefined) return { kind: "cursor", cursor };
  if (since !== undefined) {
    const [run, ...more] = runs ?? [];
    if (run === undefined || more.length > 0)
      throw new Fault("usage", "since is the number of an event of one run; expected run with it");
    return { kind: "since", run, seq: since };
  }
  return { kind: from === "start" ? "start" : "now" };
}

const cursorGone = (): Fault =>
  new Fault(
    "not_found",
    "the cursor is not known any more; begin again without it, and read what is there by the pages of events",
    {
      details: { reason: "cursor_gone" },
    },
  );

/** The head is sent with the first message: until then a refusal can still be reported. */
const lateHead = (response: HandlerContext["response"], begin: () => void): Pipe => ({
  write(text) {
    if (!response.headersSent) begin();
    return response.write(text);
  },
  get writableLength() {
    return response.writableLength;
  },
  get destroyed() {
    return response.destroyed;
  },
  once: (event, then) => response.once(event, then),
  off: (event, then) => response.off(event, then),
  destroy: () => response.destroy(),
});
