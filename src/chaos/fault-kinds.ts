import type { ModelFault } from "../model/agent/model-script.ts";

/** Told by an HTTP error instead of an answer. */
const HTTP_KINDS = ["rate_limit", "quota", "usage_limit", "error", "context_overflow"] as const;
/** The answer itself is spoilt: the model misbehaves. */
const SPOILT_KINDS = ["empty", "refusal", "max_tokens", "unknown_tool", "bad_arguments"] as const;
/** The answer is good, and its delivery is not. */
const DELIVERY_KINDS = ["hang", "reset", "garbage", "hang_midstream", "cut", "stream_error", "drip"] as const;

export type SpoiltKind = (typeof SPOILT_KINDS)[number];
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
export type HttpFault = ModelFault & { readonly kind: (typeof HTTP_KINDS)[number] };
export type SpoiltFault = ModelFault & { readonly kind: SpoiltKind };
export type DeliveryFault = ModelFault & { readonly kind: DeliveryKind };

const among = (kinds: readonly string[], fault: ModelFault | undefined): boolean =>
  fault !== undefined && kinds.includes(fault.kind);

export const isHttpFault = (fault: ModelFault | undefined): fault is HttpFault => among(HTTP_KINDS, fault);
export const isSpoiltFault = (fault: ModelFault | undefined): fault is SpoiltFault =>
  among(SPOILT_KINDS, fault);
export const isDeliveryFault = (fault: ModelFault | undefined): fault is DeliveryFault =>
  among(DELIVERY_KINDS, fault);
