import { ApiProblem } from "./api-problem.ts";

/** One event of a journal as the stream carries it, with the cursor that stands behind it. */
export interface StreamedEvent {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: unknown;
  readonly hash: string;
  readonly cursor: string;
}

export interface StreamOptions {
  /** Only of these runs; `continuous:NAME` is a continuous session, `mission:NAME` a mission. */
  readonly runs?: readonly string[];
  /** Journals beside those of runs: of all continuous sessions, of all missions. */
  readonly also?: readonly ("continuous" | "mission")[];
  /** Only of these types. */
  readonly types?: readonly string[];
  /** Behind the cursor of an event that was seen; without one, from now on. */
  readonly after?: string;
  readonly from?: "now" | "start";
  /** Of the one run named: from behind this event. */
  readonly since?: number;
  readonly signal?: AbortSignal;
  /** Called when the connection is lost and when it is there again. */
  readonly onConnection?: (state: "live" | "lost") => void;
}

export interface StreamPlace {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly queryText: (query: Readonly<Record<string, string | number | undefined>>) => string;
}

const AGAIN_MS = 250;
const AGAIN_MS_MAX = 10_000;
/** The server says something every 20 seconds: what says nothing for so long is dead. */
const SILENT_MS = 65_000;

/**
 * Every event once, in the order of each run. A connection that is lost is made again, behind the last event that was
 * handed on; a cursor that the server no longer knows ends it with its problem.
 */
export async function* followStream(place: StreamPlace, wish: StreamOptions): AsyncGenerator<StreamedEvent> {
  const { signal, onConnection } = wish;
  let cursor = wish.after ?? null;
  let waitMs = AGAIN_MS;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const over = new AbortController();
    const end = (): void => over.abort();
    signal?.addEventListener("abort", end);
    try {
      const response = await open(place, wish, { cursor, signal: over.signal });
      for await (const frame of framesOf(response, end)) {
        if (frame.id !== null) cursor = frame.id;
        if (frame.event === "ready") onConnection?.("live");
        waitMs = AGAIN_MS;
        if (frame.event !== "message" || frame.data === null) continue;
        yield { ...(JSON.parse(frame.data) as Omit<StreamedEvent, "cursor">), cursor: cursor ?? "" };
      }
    } catch (error) {
      if (error instanceof ApiProblem && error.status < 500 && error.status !== 429) throw error;
      if (isOver()) return;
    } finally {
      signal?.removeEventListener("abort", end);
      over.abort();
    }
    onConnection?.("lost");
    await pause(waitMs, signal);
    waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2);
  }
}

async function open(
  { url, headers, fetch: ask, queryText }: StreamPlace,
  { runs, also, types, from, since }: StreamOptions,
  { cursor, signal }: { readonly cursor: string | null; readonly signal: AbortSignal },
): Promise<Response> {
  const first = cursor === null ? { from, since } : {};
  const query = { run: runs?.join(","), also: also?.join(","), type: types?.join(","), ...first };
  const last = cursor === null ? {} : { "last-event-id": cursor };
  const response = await ask(`${url}${queryText(query)}`, {
    headers: { ...headers, ...last, accept: "text/event-stream" },
    credentials: "same-origin",
    redirect: "error",
    signal,
  });
  if (!response.ok) throw await ApiProblem.of(response);
  return response;
}

async function* framesOf(response: Response, end: () => void) {
  const { body } = response;
  if (body === null) return;
  const read = frameReader();
  const text = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let timer = setTimeout(end, SILENT_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(end, SILENT_MS);
      yield* read(text.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
    if (signal?.aborted === true) end();
  });

/** One message of a stream of server-sent events. */
interface Frame {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

const TEXT_CHARS_MAX = 64 * 1024 * 1024;

/** Reads server-sent events as they come in pieces; what is not ended yet is kept for the next piece. */
function frameReader(): (piece: string) => Frame[] {
  let rest = "";
  return (piece) => {
    rest += piece;
    if (rest.length > TEXT_CHARS_MAX) throw new Error("a message of the stream is too long");
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    return blocks.map(frameOf);
  };
}

function frameOf(block: string): Frame {
  let id: string | null = null;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(":");
    const [name, value] = at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
    if (name === "id") id = value;
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return { id, event, data: data.length === 0 ? null : data.join("\n") };
}
