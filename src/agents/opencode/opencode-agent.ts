import { begun, missingConversation, providerError } from "../headless/provider-error.ts";
import {
  envOf,
  type HeadlessAgent,
  objectIn,
  type OfferMcp,
  type SessionPast,
  type Vocabulary,
} from "../headless/headless-agent.ts";
import { at, type Json, numberAt, parseJson, textAt } from "../headless/json-fields.ts";
import { LastAnswer } from "../headless/last-answer.ts";
import { jsonText } from "../to-signal.ts";
import type { Signal } from "../../model/agent/signals.ts";

const VARIABLE = "OPENCODE_CONFIG_CONTENT";

/** As a configuration in the environment, which opencode reads beside its files. One that is there is added to. */
const offerToOpencode: OfferMcp = (servers, { env }) => {
  const before = objectIn(env[VARIABLE]);
  const own = objectIn(JSON.stringify(before["mcp"] ?? {}));
  const offered = servers.map((server): [string, object] => [
    server.name,
    {
      type: "local",
      command: [server.command, ...server.args],
      environment: envOf(server),
      enabled: true,
    },
  ]);
  const mcp = { ...own, ...Object.fromEntries(offered) };
  return { env: { [VARIABLE]: JSON.stringify({ ...before, mcp }) } };
};

/** opencode as `opencode run`: one prompt, events as JSON Lines. What it may do is said by its own configuration. */
export const opencodeAgent: HeadlessAgent = {
  use: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  knownVersions: ["1.18.33"],
  // A program that replaces itself while it is being kept alive cannot be relied on.
  env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  // It leaves a library of several megabytes behind, every time.
  ownTmp: true,
  offerMcp: offerToOpencode,
  argv: (task) => [
    ...["run", "--format", "json"],
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.resume === undefined ? [] : ["--session", task.resume]),
    ...task.args,
  ],
  vocabulary: opencodeVocabulary,
};

/** What `opencode run --format json` prints. It has no first and no last event of its own. */
export function opencodeVocabulary(past: SessionPast): Vocabulary {
  const answer = new LastAnswer();
  let isBegun = false;
  return {
    event: (event) => {
      const signals = eventSignals(past, answer, event);
      if (signals === null || isBegun) return signals;
      isBegun = true;
      return [...begun(textAt(event, "sessionID")), ...signals];
    },
    words: (text) => {
      if (/^Error: Session not found/.test(text)) return [missingConversation(text)];
      const asked = between(text, "permission requested: ", "; auto-rejecting");
      return asked === undefined
        ? null
        : [{ kind: "message", from: "system", text: `permission denied: ${asked}` }];
    },
  };
}

function between(text: string, begin: string, end: string): string | undefined {
  const from = text.indexOf(begin);
  const to = from === -1 ? -1 : text.lastIndexOf(end);
  return to < from + begin.length ? undefined : text.slice(from + begin.length, to);
}

function eventSignals(past: SessionPast, answer: LastAnswer, event: Json): readonly Signal[] | null {
  const part = at(event, "part");
  const text = textAt(part, "text") ?? "";
  switch (event["type"]) {
    case "step_start":
      answer.said("");
      return [];
    case "text":
      answer.said(text);
      return text.trim() === "" ? [] : [{ kind: "message", from: "agent", text }];
    case "reasoning":
      return text.trim() === "" ? [] : [{ kind: "progress", text }];
    case "tool_use":
      answer.worked();
      return toolSignals(part);
    case "step_finish":
      // It stops when the model does; every other reason is either work to come or an end before the end.
      return [...usageSignals(part), ...(textAt(part, "reason") === "stop" ? answer.claim() : [])];
    case "error":
      return errorSignals(past, at(event, "error"));
    default:
      return null;
  }
}

/** A call is reported when it is over. */
function toolSignals(part: unknown): readonly Signal[] {
  const id = textAt(part, "callID");
  const callId = id === undefined ? {} : { callId: id };
  const tool = textAt(part, "tool") ?? "a tool";
  const invalid = tool === "invalid";
  const name = invalid ? (textAt(part, "state", "input", "tool") ?? tool) : tool;
  const ok = !invalid && textAt(part, "state", "status") === "completed";
  const text = textAt(part, "state", "output") ?? textAt(part, "state", "error") ?? "";
  return [
    { kind: "tool_call", ...callId, name, args: jsonText(at(part, "state", "input") ?? {}) },
    { kind: "tool_result", ...callId, name, ok, text },
  ];
}

function usageSignals(part: unknown): readonly Signal[] {
  const count = (...path: string[]): number => numberAt(part, "tokens", ...path) ?? 0;
  const tokensIn = count("input") + count("cache", "read") + count("cache", "write");
  const tokensOut = count("output") + count("reasoning");
  // It says nothing costs 0 that it has no price of.
  const usd = numberAt(part, "cost") ?? 0;
  if (tokensIn + tokensOut === 0) return [];
  const used = { tokensIn, cachedIn: count("cache", "read"), tokensOut, requests: 1 };
  return [{ kind: "usage", ...used, ...(usd === 0 ? {} : { usd }) }];
}

const CODES: Readonly<Record<string, string>> = {
  ContextOverflowError: "context_length_exceeded",
  ContentFilterError: "refusal",
  ProviderAuthError: "authentication_error",
};

function errorSignals(past: SessionPast, error: unknown): readonly Signal[] {
  const name = textAt(error, "name") ?? "an error";
  const text = textAt(error, "data", "message") ?? name;
  const answered = at(parseJson(textAt(error, "data", "responseBody") ?? ""), "error");
  const code =
    CODES[name] ??
    textAt(answered, "code") ??
    textAt(answered, "type") ??
    textAt(error, "data", "metadata", "code");
  const status = numberAt(error, "data", "statusCode");
  return [{ kind: "result", ok: false, text }, ...providerError(text, { status, code }, past.startedAt)];
}
