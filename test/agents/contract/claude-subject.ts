import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import { headlessSubject } from "./headless-subject.ts";

const assistant = (...content: readonly unknown[]): string =>
  JSON.stringify({ type: "assistant", message: { role: "assistant", content } });

export const subject = headlessSubject(
  claudeAgent,
  {
    begin: JSON.stringify({ type: "system", subtype: "init", cwd: "/repo", model: "claude-opus-4-8" }),
    say: (text) => assistant({ type: "text", text }),
    work: [
      assistant({ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "true" } }),
      JSON.stringify({
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
      }),
    ],
    done: [JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "done" })],
    error: JSON.stringify({ type: "system", subtype: "api_retry", error_status: 500, error: "server_error" }),
  },
  import.meta.url,
);
