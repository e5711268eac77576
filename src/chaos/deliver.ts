import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelFault } from "../model/agent/model-script.ts";

/** An answer ready to be sent, in the pieces in which it may be interrupted. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
}

export interface Manner {
  readonly fault: DeliveryFault | undefined;
  readonly delayMs: number;
  /** What a stream says that fails. */
  readonly streamError: string;
}

interface Delivery {
  readonly response: ServerResponse;
  readonly reply: Reply;
  readonly manner: Manner;
  /** Aborted when the other side has gone. */
  readonly left: AbortSignal;
}

const DRIP_EVERY_MS = 100;
const DRIP_CHARS = 8;
const GARBAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>\n\u0000{"oops';

/** Sends a reply in the manner of the fault. Ends when all is sent or the other side has gone. */
export async function deliver(response: ServerResponse, reply: Reply, manner: Manner): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  try {
    if (manner.delayMs > 0) await delay(manner.delayMs, undefined, { signal: left.signal });
    const send = manner.fault === undefined ? sendAll : SEND[manner.fault.kind];
    await send({ response, reply, manner, left: left.signal });
  } catch (error) {
    // The one that was to be answered has gone: an agent that gave up waiting, or was killed.
    if (!left.signal.aborted) throw error;
  }
}

const begin = ({ response, reply }: Delivery): ServerResponse =>
  response.writeHead(reply.status, reply.headers);

async function sendAll(delivery: Delivery): Promise<void> {
  const response = begin(delivery);
  for (const piece of delivery.reply.pieces) response.write(piece);
  response.end();
}

const SEND: Readonly<Record<DeliveryKind, (delivery: Delivery) => Promise<void>>> = {
  hang: ({ response }) => gone(response),
  reset: async ({ response }) => void response.destroy(),
  garbage: async (delivery) => void begin(delivery).end(GARBAGE),
  hang_midstream: async (delivery) => {
    begin(delivery).write(halfOf(delivery.reply));
    await gone(delivery.response);
  },
  cut: async (delivery) => {
    const response = begin(delivery);
    response.write(halfOf(delivery.reply), () => response.destroy());
  },
  stream_error: async (delivery) =>
    void begin(delivery).end(`${halfOf(delivery.reply)}${delivery.manner.streamError}`),
  drip,
};

async function drip(delivery: Delivery): Promise<void> {
  const response = begin(delivery);
  const text = delivery.reply.pieces.join("");
  for (let at = 0; at < text.length; at += DRIP_CHARS) {
    response.write(text.slice(at, at + DRIP_CHARS));
    await delay(delivery.manner.fault?.everyMs ?? DRIP_EVERY_MS, undefined, { signal: delivery.left });
  }
  response.end();
}

/** The first half of the pieces, or of the only one. */
function halfOf({ pieces }: Reply): string {
  if (pieces.length > 1) return pieces.slice(0, Math.ceil(pieces.length / 2)).join("");
  const [only = ""] = pieces;
  return only.slice(0, Math.ceil(only.length / 2));
}

async function gone(response: ServerResponse): Promise<void> {
  if (!response.destroyed) await once(response, "close");
}

/** Reported by an HTTP error instead of an answer. */
const HTTP_KINDS = ["rate_limit", "quota", "usage_limit", "error", "context_overflow"] as const;
/** The answer itself is spoilt: the model misbehaves. */
const SPOILT_KINDS = ["empty", "refusal", "max_tokens", "unknown_tool", "bad_arguments"] as const;
/** The answer is good, and its delivery is not. */
const DELIVERY_KINDS = ["hang", "reset", "garbage", "hang_midstream", "cut", "stream_error", "drip"] as const;

export type SpoiltKind = (typeof SPOILT_KINDS)[number];
type DeliveryKind = (typeof DELIVERY_KINDS)[number];
export type HttpFault = ModelFault & { readonly kind: (typeof HTTP_KINDS)[number] };
type SpoiltFault = ModelFault & { readonly kind: SpoiltKind };
type DeliveryFault = ModelFault & { readonly kind: DeliveryKind };

const among = (kinds: readonly string[], fault: ModelFault | undefined): boolean =>
  fault !== undefined && kinds.includes(fault.kind);

export const isHttpFault = (fault: ModelFault | undefined): fault is HttpFault => among(HTTP_KINDS, fault);
export const isSpoiltFault = (fault: ModelFault | undefined): fault is SpoiltFault =>
  among(SPOILT_KINDS, fault);
export const isDeliveryFault = (fault: ModelFault | undefined): fault is DeliveryFault =>
  among(DELIVERY_KINDS, fault);
