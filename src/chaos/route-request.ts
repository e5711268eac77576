import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Vendor } from "./vendor.ts";

/** What a request is for. */
export type Route =
  | { readonly kind: "answer"; readonly vendor: Vendor }
  | { readonly kind: "count"; readonly vendor: Vendor }
  | { readonly kind: "models" }
  /** OpenAI's agent tries a socket first, and falls back on a refusal. */
  | { readonly kind: "socket" }
  | { readonly kind: "other" };

export interface Routed {
  readonly route: Route;
  /** Without the mark, and without the query, in which keys may stand. */
  readonly path: string;
  /** From `/s/MARK/…`; empty for none. */
  readonly mark: string;
}

const ROUTES: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ["POST", /^(\/v1)?\/messages$/, { kind: "answer", vendor: anthropic }],
  ["POST", /^(\/v1)?\/messages\/count_tokens$/, { kind: "count", vendor: anthropic }],
  ["POST", /^(\/v1)?\/responses$/, { kind: "answer", vendor: openaiResponses }],
  ["GET", /^(\/v1)?\/responses$/, { kind: "socket" }],
  ["POST", /^(\/v1)?\/responses\/input_tokens$/, { kind: "count", vendor: openaiResponses }],
  ["POST", /^(\/v1)?\/chat\/completions$/, { kind: "answer", vendor: openaiChat }],
  [
    "POST",
    /^\/v1(beta|alpha)?\/models\/[^/:]+:(stream)?[gG]enerateContent$/,
    { kind: "answer", vendor: gemini },
  ],
  ["POST", /^\/v1(beta|alpha)?\/models\/[^/:]+:countTokens$/, { kind: "count", vendor: gemini }],
  ["GET", /^\/v1\/models$/, { kind: "models" }],
];

export function routeRequest(method: string, url: string): Routed {
  const bare = url.split("?")[0] ?? "";
  const marked = /^\/s\/([A-Za-z0-9._-]{1,64})(\/.*)$/.exec(bare);
  const path = marked?.[2] ?? bare;
  const found = ROUTES.find(([wanted, pattern]) => wanted === method && pattern.test(path));
  return { route: found?.[2] ?? { kind: "other" }, path, mark: marked?.[1] ?? "" };
}
