import type { Signal } from "../../model/agent/signals.ts";
import { at, listAt, textAt } from "../headless/json-fields.ts";
import { jsonText } from "../to-signal.ts";

/** One block of a message's content. */
export function claudeBlock(block: unknown, from: "agent" | "user"): readonly Signal[] {
  switch (at(block, "type")) {
    case "text":
      return messageOf(textAt(block, "text") ?? "", from);
    case "thinking":
      return progressOf(textAt(block, "thinking"));
    case "redacted_thinking":
      return [];
    case "tool_use":
    case "server_tool_use":
      return [toolCall(block)];
    case "tool_result":
      return [toolResult(block)];
    default:
      return [{ kind: "unknown", text: jsonText(block) }];
  }
}

const messageOf = (text: string, from: "agent" | "user"): readonly Signal[] =>
  text.trim() === "" ? [] : [{ kind: "message", from, text }];

const progressOf = (text: string | undefined): readonly Signal[] =>
  text === undefined || text.trim() === "" ? [] : [{ kind: "progress", text }];

const callId = (id: string | undefined): { callId?: string } => (id === undefined ? {} : { callId: id });

const toolCall = (block: unknown): Signal => ({
  kind: "tool_call",
  ...callId(textAt(block, "id")),
  name: textAt(block, "name") ?? "a tool",
  args: jsonText(at(block, "input") ?? {}),
});

const toolResult = (block: unknown): Signal => ({
  kind: "tool_result",
  ...callId(textAt(block, "tool_use_id")),
  ok: at(block, "is_error") !== true,
  text: resultText(block),
});

function resultText(block: unknown): string {
  const text = textAt(block, "content");
  if (text !== undefined) return text;
  return listAt(block, "content")
    .map((part) => textAt(part, "text") ?? `[${textAt(part, "type") ?? "something"}]`)
    .join("\n");
}
