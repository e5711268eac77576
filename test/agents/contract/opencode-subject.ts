import { opencodeAgent } from "../../../src/agents/opencode/opencode-agent.ts";
import { headlessSubject } from "./headless-subject.ts";

const state = { status: "completed", input: { command: "true" }, output: "ok" };

export const subject = headlessSubject(
  opencodeAgent,
  {
    begin: JSON.stringify({ type: "step_start", part: { type: "step-start" } }),
    say: (text) => JSON.stringify({ type: "text", part: { type: "text", text } }),
    work: [
      JSON.stringify({ type: "tool_use", part: { type: "tool", tool: "bash", callID: "call_1", state } }),
    ],
    done: [JSON.stringify({ type: "step_finish", part: { reason: "stop", tokens: { input: 10 } } })],
    error: JSON.stringify({
      type: "error",
      error: { name: "APIError", data: { message: "no", statusCode: 500 } },
    }),
  },
  import.meta.url,
);
