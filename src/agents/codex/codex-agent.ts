import { codexItems } from "./codex-items.ts";
import { begun, missingConversation, providerError } from "../headless/provider-error.ts";
import {
  envOf,
  type HeadlessAgent,
  NO_TOKENS,
  type OfferMcp,
  type SessionPast,
  type TokenCount,
  unless,
  type Vocabulary,
} from "../headless/headless-agent.ts";
import { at, type Json, numberAt, textAt } from "../headless/json-fields.ts";
import { LastAnswer } from "../headless/last-answer.ts";
import { codexRollouts } from "../meters/codex-rollout.ts";
import { LEDGER_HOMES } from "../meters/ledger-homes.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** A start of the command line on a busy machine. */
const START_LIMIT_S = 60;
/** A question to a person is waited for this long, and asked again. */
const CALL_LIMIT_S = 120;

/**
 * As settings on the command line, beside those of its own file. Every process of a machine can read arguments, so
 * the values go through the environment, and only their names into the arguments.
 */
const offerToCodex: OfferMcp = (servers) => ({
  args: servers.flatMap((server) =>
    Object.entries({
      command: server.command,
      args: server.args,
      env_vars: server.env.map(({ name }) => name),
      startup_timeout_sec: START_LIMIT_S,
      tool_timeout_sec: CALL_LIMIT_S,
    }).flatMap(([key, value]) => ["--config", `mcp_servers.${server.name}.${key}=${JSON.stringify(value)}`]),
  ),
  env: Object.assign({}, ...servers.map(envOf)) as Record<string, string>,
});

const SANDBOX = "--dangerously-bypass-approvals-and-sandbox";

/** Codex as `codex exec`: one prompt, events as JSON Lines. */
export const codexAgent: HeadlessAgent = {
  use: "codex",
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  knownVersions: ["0.166.0"],
  env: {},
  offerMcp: offerToCodex,
  argv: (task) => [
    ...["exec", "--json", "--skip-git-repo-check"],
    // Its sandbox needs rights that a container rarely has, and its approvals somebody to give them.
    ...unless(["--sandbox", "-s", "--full-auto", "--approve-for-me", SANDBOX], task, [SANDBOX]),
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.offer ?? []),
    ...task.args,
    ...(task.resume === undefined ? [] : ["resume", task.resume]),
    // A lone dash means its standard input.
    ...["--", "-"],
  ],
  vocabulary: codexVocabulary,
  ledger: { home: LEDGER_HOMES.codex, open: codexRollouts },
  totalOf: codexTotal,
};

interface Memory {
  readonly past: SessionPast;
  readonly items: ReturnType<typeof codexItems>;
  /** What the conversation had used up when it was last reported. */
  used: TokenCount;
  /** What this session has used up. */
  readonly spent: { -readonly [Kind in keyof TokenCount]: TokenCount[Kind] };
  lastError: string | undefined;
}

/** What `codex exec --json` prints. */
export function codexVocabulary(past: SessionPast): Vocabulary {
  const answer = new LastAnswer();
  const memory: Memory = {
    past,
    items: codexItems(answer),
    used: past.usedBefore,
    spent: { ...NO_TOKENS },
    lastError: undefined,
  };
  return {
    event: (event) => {
      switch (event["type"]) {
        case "thread.started":
          return begun(textAt(event, "thread_id"));
        case "turn.started":
          return [];
        case "item.started":
          return memory.items.started(at(event, "item"));
        case "item.updated":
          return memory.items.updated(at(event, "item"));
        case "item.completed":
          return memory.items.completed(at(event, "item"));
        case "error":
          return errorSignals(memory, textAt(event, "message") ?? "an error without words");
        case "turn.completed":
          return [...usageSignals(memory, event), ...answer.claim()];
        case "turn.failed":
          return failureSignals(memory, textAt(event, "error", "message") ?? "the turn failed");
        default:
          return null;
      }
    },
    words: (text) => {
      if (text.includes("no rollout found for thread id")) return [missingConversation(text)];
      return text.startsWith("Reading additional input from stdin") ? [] : null;
    },
  };
}

/** It reports a retry in the words of an error, and goes on by itself. */
const RETRY = /^Reconnecting\.{3} \d+\/\d+ \((.*)\)$/s;
/** Where the provider's status is swallowed, only the words are left. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^Quota exceeded\b/, "insufficient_quota"],
  [/^The model \S+ does not exist\b/, "model_not_found"],
  [/\bcurrently experiencing high demand\b/, "server_error"],
  [/\bstream disconnected before completion\b/, "ECONNRESET"],
];

function errorSignals(memory: Memory, message: string): readonly Signal[] {
  const retried = RETRY.exec(message)?.[1];
  const text = retried ?? message;
  memory.lastError = text;
  const code = CODES.find(([words]) => words.test(text))?.[1];
  const signals = providerError(text, { code }, memory.past.startedAt);
  const limit = signals.filter(({ kind }) => kind === "rate_limit");
  return retried !== undefined && limit.length > 0 ? limit : signals;
}

/** The error was reported just before in the same words. */
function failureSignals(memory: Memory, text: string): readonly Signal[] {
  const error = text === memory.lastError ? [] : errorSignals(memory, text);
  return [...error, { kind: "result", ok: false, text }];
}

/** It counts the whole conversation, whichever session it was in. */
function codexTotal(event: Json): TokenCount | undefined {
  const tokensIn = numberAt(event, "usage", "input_tokens");
  if (event["type"] !== "turn.completed" || tokensIn === undefined) return undefined;
  return {
    tokensIn,
    cachedIn: numberAt(event, "usage", "cached_input_tokens") ?? 0,
    tokensOut: numberAt(event, "usage", "output_tokens") ?? 0,
  };
}

/** Of this session: its rollout file shows the same, piece by piece. */
function usageSignals(memory: Memory, event: Json): readonly Signal[] {
  const total = codexTotal(event);
  if (total === undefined) return [];
  const { used, spent } = memory;
  memory.used = total;
  // Less than before: it did not count the earlier sessions in.
  const base = total.tokensIn < used.tokensIn ? NO_TOKENS : used;
  spent.tokensIn += total.tokensIn - base.tokensIn;
  spent.cachedIn += Math.max(0, total.cachedIn - base.cachedIn);
  spent.tokensOut += Math.max(0, total.tokensOut - base.tokensOut);
  const { tokensIn, cachedIn, tokensOut } = spent;
  return [{ kind: "usage", tokensInTotal: tokensIn, cachedInTotal: cachedIn, tokensOutTotal: tokensOut }];
}
