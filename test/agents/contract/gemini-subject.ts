import { geminiAgent } from "../../../src/agents/gemini/gemini-agent.ts";
import { headlessSubject } from "./headless-subject.ts";

export const subject = headlessSubject(
  geminiAgent,
  {
    begin: JSON.stringify({ type: "init", model: "gemini-2.5-flash" }),
    say: (content) => JSON.stringify({ type: "message", role: "assistant", content }),
    work: [
      JSON.stringify({ type: "tool_use", tool_id: "1", tool_name: "run_shell_command", parameters: {} }),
      JSON.stringify({ type: "tool_result", tool_id: "1", status: "success", output: "ok" }),
    ],
    done: [JSON.stringify({ type: "result", status: "success", stats: { input_tokens: 10 } })],
    error: JSON.stringify({ type: "error", severity: "error", message: "Model stream ended early." }),
  },
  import.meta.url,
);
