import type { SignalRule } from "../../model/agent/command-signals.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { begun, providerError } from "../headless/provider-error.ts";
import type { Vocabulary } from "../headless/headless-agent.ts";
import type { Json } from "../headless/json-fields.ts";
import { LastAnswer } from "../headless/last-answer.ts";
import { jsonText } from "../to-signal.ts";

export interface DescribedLines extends Vocabulary {
  /** What it said after its last call, and has not claimed yet; empty where something went wrong. */
  unclaimed(): string;
}

interface Memory {
  readonly startedAt: number;
  /** Whether a conversation can be continued at all. */
  readonly resumes: boolean;
  readonly answer: LastAnswer;
  said: string;
  conversation: string | undefined;
  failure: string | undefined;
}

type Rule<Is extends SignalRule["is"]> = Extract<SignalRule, { is: Is }>;

/** What the lines of a program mean whose user has described them. Every rule that matches a line counts. */
export function describedLines(
  rules: readonly SignalRule[],
  { startedAt, resumes }: { readonly startedAt: number; readonly resumes: boolean },
): DescribedLines {
  const memory: Memory = {
    startedAt,
    resumes,
    answer: new LastAnswer(),
    said: "",
    conversation: undefined,
    failure: undefined,
  };
  let isBegun = false;
  return {
    event: (event) => {
      const first = isBegun ? [] : begun(undefined);
      isBegun = true;
      const described = rules
        .filter((rule) => matches(rule, event))
        .map((rule) => signalsOf(memory, rule, event));
      if (described.every((signals) => signals === null))
        return first.length === 0 ? null : [...first, unknown(event)];
      return [...first, ...described.flatMap((signals) => signals ?? [])];
    },
    words: () => null,
    unclaimed: () =>
      rules.some(({ is }) => is === "done") || memory.failure !== undefined ? "" : memory.said,
  };
}

const unknown = (event: Json): Signal => ({ kind: "unknown", text: jsonText(event) });

const matches = ({ when = {} }: SignalRule, event: Json): boolean =>
  Object.entries(when).every(([field, value]) => fieldOf(event, field) === value);

/** Null where the line does not have what the rule is about. */
function signalsOf(memory: Memory, rule: SignalRule, event: Json): readonly Signal[] | null {
  switch (rule.is) {
    case "message":
      return messageSignals(memory, textOf(event, rule.text));
    case "call":
      return callSignals(memory, rule, event);
    case "result":
      return [resultSignal(rule, event)];
    case "usage":
      return usageSignals(rule, event);
    case "context":
      return contextSignals(rule, event);
    case "error":
      return errorSignals(memory, rule, event);
    case "session":
      return sessionSignals(memory, textOf(event, rule.id));
    case "done":
      return doneSignals(memory, rule, event);
  }
}

function messageSignals(memory: Memory, text: string | undefined): readonly Signal[] | null {
  if (text === undefined) return null;
  if (text.trim() === "") return [];
  memory.answer.said(text);
  memory.said = text;
  return [{ kind: "message", from: "agent", text }];
}

function callSignals(
  memory: Memory,
  { name, id, args }: Rule<"call">,
  event: Json,
): readonly Signal[] | null {
  const tool = textOf(event, name);
  if (tool === undefined) return null;
  // What it said before its last call is no answer.
  memory.answer.worked();
  memory.answer.said("");
  memory.said = "";
  return [
    { kind: "tool_call", ...callId(event, id), name: tool, args: jsonText(fieldOf(event, args ?? "") ?? {}) },
  ];
}

const callId = (event: Json, id: string | undefined): { callId?: string } => {
  const found = id === undefined ? undefined : textOf(event, id);
  return found === undefined ? {} : { callId: found };
};

function resultSignal({ id, name, text, ok, failed }: Rule<"result">, event: Json): Signal {
  const tool = name === undefined ? undefined : textOf(event, name);
  const isFailed = failed !== undefined && meansFailed(fieldOf(event, failed));
  return {
    kind: "tool_result",
    ...callId(event, id),
    ...(tool === undefined ? {} : { name: tool }),
    ok: !isFailed && (ok === undefined || meansWell(fieldOf(event, ok))),
    text: text === undefined ? "" : jsonText(fieldOf(event, text) ?? ""),
  };
}

const WELL = /^(?:ok|success|succeeded|successful|completed?|done|finished|stop|end_turn|true|0)$/i;
const meansWell = (value: unknown): boolean =>
  value === true || value === 0 || (typeof value === "string" && WELL.test(value));
const meansFailed = (value: unknown): boolean =>
  value === true || (typeof value === "number" && value !== 0) || (typeof value === "string" && value !== "");

function usageSignals(rule: Rule<"usage">, event: Json): readonly Signal[] | null {
  const ending = rule.total ? "Total" : "";
  const counted = (["tokensIn", "cachedIn", "tokensOut", "usd"] as const).flatMap((name) => {
    const field = rule[name];
    const count = field === undefined ? undefined : countOf(event, field);
    return count === undefined ? [] : [[`${name}${ending}`, count] as const];
  });
  if (counted.length === 0) return null;
  const model = rule.model === undefined ? undefined : textOf(event, rule.model);
  return [{ kind: "usage", ...Object.fromEntries(counted), ...(model === undefined ? {} : { model }) }];
}

function contextSignals({ pct, used, size }: Rule<"context">, event: Json): readonly Signal[] | null {
  const count = (field: string | undefined): number | undefined =>
    field === undefined ? undefined : countOf(event, field);
  const [part, whole] = [count(used), typeof size === "number" ? size : count(size)];
  const full = count(pct) ?? (part === undefined || !whole ? undefined : (part / whole) * 100);
  return full === undefined ? null : [{ kind: "context", usedPct: Math.min(100, full) }];
}

function errorSignals(memory: Memory, rule: Rule<"error">, event: Json): readonly Signal[] | null {
  const text = textOf(event, rule.text);
  if (text === undefined || text.trim() === "") return null;
  memory.failure = text;
  const status = rule.status === undefined ? undefined : countOf(event, rule.status);
  const code = rule.code === undefined ? undefined : textOf(event, rule.code);
  return providerError(text, { status, code }, memory.startedAt);
}

/** Reported once for each name; where nothing says how a conversation is continued, its name is of no use. */
function sessionSignals(memory: Memory, id: string | undefined): readonly Signal[] | null {
  if (id === undefined) return null;
  if (!memory.resumes || id === memory.conversation) return [];
  memory.conversation = id;
  return begun(id).slice(1);
}

function doneSignals(memory: Memory, { ok, text }: Rule<"done">, event: Json): readonly Signal[] {
  const described = text === undefined ? undefined : textOf(event, text);
  if (described !== undefined) memory.answer.said(described);
  const isWell = ok === undefined || meansWell(fieldOf(event, ok));
  if (isWell && memory.failure === undefined) return memory.answer.claim();
  return [{ kind: "result", ok: false, text: described ?? memory.failure ?? "it ended without success" }];
}

function textOf(event: Json, field: string): string | undefined {
  const value = fieldOf(event, field);
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : undefined;
}

function countOf(event: Json, field: string): number | undefined {
  const value = fieldOf(event, field);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** What stands in a field of a field; a number counts in a list. */
function fieldOf(event: Json, field: string): unknown {
  let found: unknown = event;
  for (const name of field.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Json)[name];
  }
  return found;
}
