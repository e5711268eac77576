import type { ModelFault, ModelScript } from "../model/agent/model-script.ts";
import {
  composeAnswer,
  composeAside,
  faultFor,
  isAside,
  type Place,
  placeOf,
  tokensOf,
} from "./compose-answer.ts";
import { type HttpFault, isDeliveryFault, isHttpFault, type Manner, type Reply } from "./deliver.ts";
import {
  type Answer,
  type Conversation,
  type HttpError,
  isRecord,
  type JsonRecord,
  type Vendor,
} from "./vendor.ts";
import type { LoggedRequest } from "./request-log.ts";
import type { Route, Routed } from "./route-request.ts";

/** How a request is to be answered, and what is written about it. */
export interface Plan {
  readonly reply: Reply;
  readonly manner: Manner;
  readonly logged: Omit<LoggedRequest, "at" | "digest" | "method" | "path">;
}

export interface Request {
  readonly routed: Routed;
  readonly body: string;
  readonly nowMs: number;
}

/** Requests so far by session and position: a fault that hits the first two must know the third. */
export type Tally = Map<string, number>;

export function planAnswer(script: ModelScript, tally: Tally, request: Request): Plan {
  const { route } = request.routed;
  switch (route.kind) {
    case "answer":
      return planTurn(script, tally, { ...request, vendor: route.vendor });
    case "count":
      return plain(request, route, {
        status: 200,
        body: route.vendor.countTokens(tokensOf(request.body.length)),
      });
    case "models":
      return plain(request, route, { status: 200, body: MODELS });
    case "socket":
      return plain(request, route, {
        status: 426,
        headers: { upgrade: "HTTP/1.1" },
        body: { error: { message: "sockets are not spoken here; use HTTP" } },
      });
    case "other":
      return plain(request, route, { status: 404, body: { error: { message: "no such path" } } });
  }
}

const MODELS = {
  object: "list",
  data: [{ id: "scripted", object: "model", type: "model", created: 0, owned_by: "holdfast" }],
};

const PLAINLY: Manner = { fault: undefined, delayMs: 0, streamError: "" };

const NOTHING_RECEIVED = {
  vendor: null,
  model: null,
  stream: false,
  messages: 0,
  tools: [],
  position: null,
  fault: null,
  usage: null,
  refusal: null,
} as const;

function plain({ routed }: Request, route: Exclude<Route, { kind: "answer" }>, error: HttpError): Plan {
  const vendor = route.kind === "count" ? route.vendor.name : null;
  return {
    reply: jsonReply(error),
    manner: PLAINLY,
    logged: { ...NOTHING_RECEIVED, session: routed.mark, vendor, as: route.kind, status: error.status },
  };
}

interface TurnRequest extends Request {
  readonly vendor: Vendor;
}

function planTurn(script: ModelScript, tally: Tally, request: TurnRequest): Plan {
  const { vendor, routed } = request;
  const body = parse(request.body);
  if (body === undefined) return refused(request, "the body is not a JSON object");
  const talk = vendor.read(body, routed.path);
  const refusal = vendor.refuse(body);
  if (refusal !== undefined) return refused(request, refusal, talk);
  if (isAside(script, talk)) return answered(request, talk, composeAside(talk, request.body.length));
  const place = placeOf(script, talk, routed.mark);
  const key = `${place.session} ${String(place.position)}`;
  const earlier = tally.get(key) ?? 0;
  tally.set(key, earlier + 1);
  const fault = faultFor(place.turn, earlier);
  if (isHttpFault(fault)) return failed(request, { talk, place, fault });
  const composed = composeAnswer({ talk, place, earlier, fault, requestChars: request.body.length });
  if ("unmapped" in composed) return refused(request, composed.unmapped, talk);
  return answered(request, talk, composed.answer, { place, fault });
}

function parse(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function answered(
  request: TurnRequest,
  talk: Conversation,
  answer: Answer,
  scripted?: { readonly place: Place; readonly fault: ModelFault | undefined },
): Plan {
  const { vendor, routed } = request;
  const reply = talk.stream
    ? { status: 200, headers: STREAM_HEADERS, pieces: vendor.stream(answer) }
    : jsonReply({ status: 200, body: vendor.whole(answer) });
  const silent = scripted?.fault?.kind === "hang" || scripted?.fault?.kind === "reset";
  return {
    reply,
    manner: {
      fault: isDeliveryFault(scripted?.fault) ? scripted.fault : undefined,
      delayMs: scripted?.place.turn.delayMs ?? 0,
      streamError: vendor.streamError(),
    },
    logged: {
      ...described(vendor, talk),
      session: scripted?.place.session ?? routed.mark,
      as: scripted === undefined ? "aside" : "turn",
      position: scripted?.place.position ?? null,
      fault: scripted?.fault?.kind ?? null,
      status: silent ? null : 200,
      usage: silent ? null : answer.usage,
      refusal: null,
    },
  };
}

function failed(
  { vendor, nowMs }: TurnRequest,
  { talk, place, fault }: { readonly talk: Conversation; readonly place: Place; readonly fault: HttpFault },
): Plan {
  const error = vendor.error({ kind: "fault", fault, nowMs });
  return {
    reply: jsonReply(error),
    manner: { ...PLAINLY, delayMs: place.turn.delayMs },
    logged: {
      ...described(vendor, talk),
      session: place.session,
      as: "turn",
      position: place.position,
      fault: fault.kind,
      status: error.status,
      usage: null,
      refusal: null,
    },
  };
}

function refused({ vendor, routed }: TurnRequest, message: string, talk?: Conversation): Plan {
  const error = vendor.error({ kind: "invalid", message });
  return {
    reply: jsonReply(error),
    manner: PLAINLY,
    logged: {
      ...NOTHING_RECEIVED,
      ...(talk === undefined ? { vendor: vendor.name } : described(vendor, talk)),
      session: routed.mark,
      as: "refused",
      status: error.status,
      refusal: message,
    },
  };
}

const described = (vendor: Vendor, { model, stream, messages, tools }: Conversation) => ({
  vendor: vendor.name,
  model,
  stream,
  messages,
  tools: tools.map(({ name }) => name),
});

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

const jsonReply = ({ status, headers, body }: HttpError): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  pieces: [JSON.stringify(body)],
});
