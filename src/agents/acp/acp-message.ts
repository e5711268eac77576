import { at, type Json, numberAt, textAt } from "../headless/json-fields.ts";
import { type ErrorFacts, providerError } from "../headless/provider-error.ts";
import type { McpServer } from "../mcp-servers.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** JSON-RPC as the Agent Client Protocol uses it: one object per line, both ways. */
export type Said =
  | {
      readonly kind: "request";
      readonly id: string | number;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: string; readonly result: unknown }
  | { readonly kind: "error"; readonly id: string; readonly error: unknown };

/** What an agent said, or undefined for an object that is no such message. */
export function readMessage(message: Json): Said | undefined {
  const id = at(message, "id");
  const method = textAt(message, "method");
  const params = at(message, "params");
  if (method !== undefined)
    return typeof id === "string" || typeof id === "number"
      ? { kind: "request", id, method, params }
      : { kind: "notification", method, params };
  // All our own ids are text: an answer to a number answers nothing that we asked.
  if (typeof id !== "string") return undefined;
  const error = at(message, "error");
  if (error !== undefined && error !== null) return { kind: "error", id, error };
  return Object.hasOwn(message, "result") ? { kind: "result", id, result: at(message, "result") } : undefined;
}

export const PROTOCOL_VERSION = 1;

/**
 * Ids of our calls are the keys under which they are sent, so that the one that reads an answer knows what it answers.
 */
export const CALLS = { initialize: "hf:initialize", open: "hf:new", load: "hf:load" } as const;
export const TASK_PROMPT = "hf:prompt:task";
export const promptCall = (name: string): string => `hf:prompt:${name}`;
export const isPrompt = (id: string): boolean => id.startsWith("hf:prompt:");

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

export const initialize = (): string =>
  line({
    id: CALLS.initialize,
    method: "initialize",
    params: {
      protocolVersion: PROTOCOL_VERSION,
      // The agent has the machine's files and terminals itself; it needs none of ours.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "holdfast", title: "Holdfast", version: "0" },
    },
  });

export const openSession = (cwd: string, mcpServers: readonly McpServer[]): string =>
  line({ id: CALLS.open, method: "session/new", params: { cwd, mcpServers } });

export const loadSession = (sessionId: string, cwd: string, mcpServers: readonly McpServer[]): string =>
  line({ id: CALLS.load, method: "session/load", params: { sessionId, cwd, mcpServers } });

export const prompt = (id: string, sessionId: string, text: string): string =>
  line({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });

export const cancel = (sessionId: string): string =>
  line({ method: "session/cancel", params: { sessionId } });

export const permissionAnswer = (id: string | number, optionId: string | null): string =>
  line({
    id,
    result: {
      outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId },
    },
  });

export const notSupported = (id: string | number, method: string): string =>
  line({ id, error: { code: -32_601, message: `Method not found: ${method.slice(0, 200)}` } });

/** The version an agent answered with, if it is one that we do not speak. */
export function strangeVersion(result: unknown): string | undefined {
  const version = numberAt(result, "protocolVersion");
  return version === PROTOCOL_VERSION ? undefined : String(version ?? "none");
}

/** What a call of ours was refused with, in the words of the provider where they were passed on. */
export function errorText(error: unknown): string {
  const text =
    textAt(error, "data", "message") ?? textAt(error, "data", "details") ?? textAt(error, "message");
  return (text ?? "the agent gave an error without words").replace(/^Internal error: /, "");
}

/** Rate limits, missing credentials and overload are known by what adapters put beside the words. */
export const errorSignals = (error: unknown, startedAt: number): readonly Signal[] =>
  providerError(errorText(error), factsOf(error), startedAt);

const AUTHENTICATION_REQUIRED = -32_000;
const LIMITS: ReadonlySet<string> = new Set([
  "rate_limit",
  "usage_limit",
  "usageLimitExceeded",
  "rateLimitExceeded",
]);

function factsOf(error: unknown): ErrorFacts {
  const code = at(error, "code");
  const kind = textAt(error, "data", "errorKind") ?? textAt(error, "data", "codexErrorInfo");
  if (kind !== undefined && LIMITS.has(kind)) return { code: "rate_limit_error" };
  if (kind === "overloaded") return { code: "overloaded_error" };
  if (code === AUTHENTICATION_REQUIRED) return { code: "authentication_error" };
  const status = numberAt(error, "data", "status") ?? numberAt(error, "code");
  return status !== undefined && Number.isInteger(status) && status >= 400 && status < 600 ? { status } : {};
}
