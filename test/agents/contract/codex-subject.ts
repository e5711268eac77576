import { codexAgent } from "../../../src/agents/codex/codex-agent.ts";
import { headlessSubject } from "./headless-subject.ts";

const item = (type: "item.started" | "item.completed", value: unknown): string =>
  JSON.stringify({ type, item: value });
const command = { id: "item_1", type: "command_execution", command: "true", aggregated_output: "" };

export const subject = headlessSubject(
  codexAgent,
  {
    begin: JSON.stringify({ type: "thread.started" }),
    say: (text) => item("item.completed", { id: "item_0", type: "agent_message", text }),
    work: [
      item("item.started", { ...command, exit_code: null, status: "in_progress" }),
      item("item.completed", { ...command, exit_code: 0, status: "completed" }),
    ],
    done: [JSON.stringify({ type: "turn.completed", usage: { input_tokens: 10, output_tokens: 1 } })],
    error: JSON.stringify({ type: "error", message: "unexpected status 500 Internal Server Error" }),
  },
  import.meta.url,
);
