import { commandDriver } from "../../../src/agents/command/command-driver.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import { standInSubject } from "./headless-subject.ts";
import { sessionsIn } from "./kept-sessions.ts";

const spec: AgentSpec = {
  use: "command",
  signals: [
    { is: "session", when: { event: "begin" }, id: "session" },
    { is: "message", when: { event: "say" }, text: "words" },
    { is: "call", when: { event: "tool" }, name: "tool.name", id: "tool.id", args: "tool.input" },
    { is: "result", when: { event: "tool_end" }, id: "tool.id", text: "tool.output", failed: "tool.error" },
    { is: "usage", tokensIn: "usage.in", tokensOut: "usage.out", total: false },
    { is: "error", when: { event: "error" }, text: "why" },
    { is: "done", when: { event: "end" }, ok: "status" },
  ],
};

const line = (event: string, more: object = {}): string => JSON.stringify({ event, ...more });

export const subject = standInSubject(
  spec,
  (folder) => commandDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessionsIn(folder) }),
  {
    phrases: {
      begin: line("begin", { session: "s1" }),
      say: (words) => line("say", { words }),
      work: [
        line("tool", { tool: { id: "1", name: "shell", input: {} } }),
        line("tool_end", { tool: { id: "1", output: "ok" } }),
      ],
      // Its answer is what it says after its last call.
      done: [line("say", { words: "It is done." }), line("end", { status: "ok", usage: { in: 10, out: 2 } })],
      error: line("error", { why: "the model stream ended early" }),
    },
    module: import.meta.url,
  },
);
