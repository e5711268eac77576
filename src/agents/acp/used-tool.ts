import { toolUse, type ToolUse } from "../../model/flow/permission-rules.ts";
import { at, listAt, textAt } from "../headless/json-fields.ts";

/** Names under which agents report the file or address that a tool is used on. */
const PATH_NAMES = ["file_path", "filePath", "filepath", "path", "abs_path", "notebook_path", "url"] as const;

/** What a call of a tool is about, as the agent reported it. `name`: of the call as it was announced, or its title. */
export function usedTool(call: unknown, name: string | undefined): ToolUse {
  const input = at(call, "rawInput");
  const named = PATH_NAMES.flatMap((name) => textAt(input, name) ?? []);
  const located = listAt(call, "locations").flatMap((location) => textAt(location, "path") ?? []);
  return toolUse({
    tool: textAt(call, "_meta", "claudeCode", "toolName") ?? name,
    toolKind: textAt(call, "kind"),
    command: commandOf(input),
    paths: [...new Set([...named, ...located])],
  });
}

/** A command given word by word is one with spaces between. */
function commandOf(input: unknown): string | undefined {
  const words = listAt(input, "command");
  if (words.length === 0) return textAt(input, "command");
  // Where a word is no text the command is not known whole.
  return words.every((word) => typeof word === "string") ? words.join(" ") : "";
}
