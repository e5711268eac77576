import type { Signal } from "../../model/agent/signals.ts";
import { at, listAt, numberAt, textAt } from "../headless/json-fields.ts";
import type { LastAnswer } from "../headless/last-answer.ts";
import { jsonText } from "../to-signal.ts";

interface Items {
  started(item: unknown): readonly Signal[];
  updated(item: unknown): readonly Signal[];
  completed(item: unknown): readonly Signal[];
}

const OPEN_MAX = 1_000;

/** What is done within a turn: commands, changes, searches, words. */
export function codexItems(answer: LastAnswer): Items {
  const open = new Set<string>();
  const call = (item: unknown): readonly Signal[] => {
    answer.worked();
    if (open.size < OPEN_MAX) open.add(textAt(item, "id") ?? "");
    return [toolCall(item)];
  };
  return {
    started: (item) => (isTool(item) ? call(item) : []),
    updated: (item) => (at(item, "type") === "todo_list" ? [plan(item)] : []),
    completed: (item) => {
      if (!isTool(item)) return wordsOf(item, answer);
      // Some are reported only when they are over.
      const begun = open.delete(textAt(item, "id") ?? "") ? [] : call(item);
      return [...begun, toolResult(item)];
    },
  };
}

const TOOLS: readonly unknown[] = [
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
  "collab_tool_call",
];
const isTool = (item: unknown): boolean => TOOLS.includes(at(item, "type"));

function wordsOf(item: unknown, answer: LastAnswer): readonly Signal[] {
  const text = textAt(item, "text") ?? textAt(item, "message") ?? "";
  switch (at(item, "type")) {
    case "agent_message":
      answer.said(text);
      return text.trim() === "" ? [] : [{ kind: "message", from: "agent", text }];
    case "reasoning":
      return text.trim() === "" ? [] : [{ kind: "progress", text }];
    case "todo_list":
      return [plan(item)];
    case "error":
      return [{ kind: "message", from: "system", text }];
    default:
      return [{ kind: "unknown", text: jsonText(item) }];
  }
}

function plan(item: unknown): Signal {
  const items = listAt(item, "items");
  const done = items.filter((one) => at(one, "completed") === true).length;
  const next = items.find((one) => at(one, "completed") !== true);
  const text = `${String(done)} of ${String(items.length)} done${next === undefined ? "" : `; ${textAt(next, "text") ?? ""}`}`;
  return { kind: "progress", text };
}

const callId = (item: unknown): { callId?: string } => {
  const id = textAt(item, "id");
  return id === undefined ? {} : { callId: id };
};

const toolCall = (item: unknown): Signal => ({
  kind: "tool_call",
  ...callId(item),
  name: nameOf(item),
  args: argsOf(item),
});

function nameOf(item: unknown): string {
  const tool = textAt(item, "tool");
  const server = textAt(item, "server");
  if (tool === undefined) return textAt(item, "type") ?? "a tool";
  return server === undefined ? tool : `${server}.${tool}`;
}

const argsOf = (item: unknown): string =>
  jsonText(at(item, "command") ?? at(item, "changes") ?? at(item, "arguments") ?? at(item, "query") ?? "");

function toolResult(item: unknown): Signal {
  const exit = numberAt(item, "exit_code");
  const status = textAt(item, "status") ?? "completed";
  const text = textAt(item, "aggregated_output") ?? textAt(item, "error", "message") ?? status;
  return { kind: "tool_result", ...callId(item), ok: status === "completed" && (exit ?? 0) === 0, text };
}
