import { CALLS, TASK_PROMPT } from "../../src/agents/acp/acp-message.ts";
import { AcpTalk } from "../../src/agents/acp/acp-talk.ts";
import { claudeVocabulary } from "../../src/agents/claude/claude-vocabulary.ts";
import { describedLines } from "../../src/agents/command/described-lines.ts";
import { printedText } from "../../src/agents/command/printed-text.ts";
import { codexVocabulary } from "../../src/agents/codex/codex-agent.ts";
import { demoReader } from "../../src/agents/demo/demo-driver.ts";
import { signalsOfReturn } from "../../src/agents/function/function-session.ts";
import { geminiVocabulary } from "../../src/agents/gemini/gemini-vocabulary.ts";
import { NO_TOKENS, type Vocabulary } from "../../src/agents/headless/headless-agent.ts";
import { headlessReader } from "../../src/agents/headless/headless-reader.ts";
import type { LineReader } from "../../src/agents/keeper/spool/read-spool.ts";
import { opencodeVocabulary } from "../../src/agents/opencode/opencode-agent.ts";
import { findProgram } from "../../src/agents/tmux/find-program.ts";
import { followTurn } from "../../src/agents/tmux/follow-turn.ts";
import { NOTHING_RECEIVED } from "../../src/agents/tmux/type/delivery-log.ts";
import { recognise } from "../../src/agents/tmux/screen/recognise.ts";
import type { SignalRule } from "../../src/model/agent/command-signals.ts";
import type { AgentSpec } from "../../src/model/flow/flow.ts";
import type { ExitSignal, Signal } from "../../src/model/agent/signals.ts";

/** How an agent of one kind ends that has worked and says this last; "" where it says nothing. */
export interface Speaker {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly ends: (words: string) => readonly Signal[];
}

const PAST = { startedAt: 0, usedBefore: NO_TOKENS };
const EXIT: ExitSignal = { kind: "exit", how: "code", code: 0 };

const read = (reader: LineReader, lines: readonly object[]): readonly Signal[] => {
  let end = 0;
  return lines.flatMap((line) => {
    const text = JSON.stringify(line);
    end += text.length + 1;
    return reader.read({ text, kind: "whole", end }, "out");
  });
};

const headless = (
  use: "claude" | "codex" | "gemini" | "opencode",
  vocabulary: (past: typeof PAST) => Vocabulary,
  lines: (words: string) => readonly object[],
): Speaker => ({
  name: use,
  spec: { use },
  ends: (words) => [...read(headlessReader(vocabulary(PAST)), lines(words)), EXIT],
});

const said = (words: string, line: object): readonly object[] => (words === "" ? [] : [line]);

const acp = (words: string): readonly object[] => [
  { jsonrpc: "2.0", id: CALLS.initialize, result: { protocolVersion: 1, agentCapabilities: {} } },
  update({ sessionUpdate: "tool_call", toolCallId: "1", title: "edit", status: "in_progress", rawInput: {} }),
  update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput: "ok" }),
  ...said(words, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } })),
  { jsonrpc: "2.0", id: TASK_PROMPT, result: { stopReason: "end_turn" } },
];
const update = (of: object): object => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: of },
});

/** A plain program at its prompt, that printed these words after its task. */
function terminal(spec: AgentSpec, words: string): readonly Signal[] {
  const program = findProgram(spec);
  if ("problem" in program) throw new Error(program.problem);
  const lines = ["welcome", "> do it", ...words.split("\n").filter((line) => line !== ""), "> "];
  const look = recognise(program, { title: "", lines });
  const seen = {
    now: 0,
    look,
    lines,
    quietMs: 9_000,
    promptedMs: 9_000,
    workSeen: true,
    conversation: undefined,
  };
  const { entries } = followTurn(program, { ...NOTHING_RECEIVED, ready: true }, { ...seen, task: "do it" });
  return [...entries.flatMap(({ signal }) => signal ?? []), EXIT];
}

const inTerminal = (name: string, command: string[]): Speaker => {
  const spec: AgentSpec = { use: "tmux", command, prompt: "^> $" };
  return { name, spec, ends: (words) => terminal(spec, words) };
};

const LINES: readonly SignalRule[] = [
  { is: "message", text: "say" },
  { is: "call", name: "tool" },
  { is: "done", when: { end: true } },
];

const printing = (name: string, spec: AgentSpec): Speaker => ({
  name,
  spec,
  ends: (words) => {
    const reader = printedText({ mute: spec.command?.[0] === "bash" });
    const lines = words.split("\n").map((text) => ({ text, kind: "whole", end: 0 }) as const);
    return [...lines.flatMap((line) => reader.read(line, "out")), ...(reader.last?.(EXIT, false) ?? [])];
  },
});

const EDIT = { kind: "tool_call", name: "edit", args: "a" };

export const SPEAKERS: readonly Speaker[] = [
  {
    name: "demo",
    spec: { use: "demo", script: "x" },
    ends: (words) => [
      ...read(demoReader(), [EDIT, ...said(words, { kind: "result", ok: true, text: words })]),
      EXIT,
    ],
  },
  {
    name: "function",
    spec: { use: "function", export: "x" },
    ends: (words) => signalsOfReturn(words === "" ? undefined : words),
  },
  headless("claude", claudeVocabulary, (words) => [
    { type: "assistant", message: { content: [{ type: "tool_use", id: "1", name: "Edit", input: {} }] } },
    ...said(words, { type: "assistant", message: { content: [{ type: "text", text: words }] } }),
    { type: "result", subtype: "success", is_error: false, result: words },
  ]),
  headless("codex", codexVocabulary, (words) => [
    { type: "item.started", item: { id: "1", type: "command_execution", command: "ed" } },
    { type: "item.completed", item: { id: "1", type: "command_execution", command: "ed", exit_code: 0 } },
    ...said(words, { type: "item.completed", item: { id: "2", type: "agent_message", text: words } }),
    { type: "turn.completed" },
  ]),
  headless("gemini", geminiVocabulary, (words) => [
    { type: "tool_use", tool_id: "1", tool_name: "edit", parameters: {} },
    ...said(words, { type: "message", role: "assistant", content: words }),
    { type: "result", status: "success" },
  ]),
  headless("opencode", opencodeVocabulary, (words) => [
    { type: "tool_use", part: { callID: "1", tool: "edit", state: { status: "completed", input: {} } } },
    { type: "step_start" },
    ...said(words, { type: "text", part: { text: words } }),
    { type: "step_finish", part: { reason: "stop" } },
  ]),
  {
    name: "acp",
    spec: { use: "acp", command: ["agent"] },
    ends: (words) => {
      const past = { resume: undefined, startedAt: 0, replayedTo: () => undefined, wasClosed: () => false };
      return [...read(new AcpTalk(past), acp(words)), EXIT];
    },
  },
  printing("a program that prints", { use: "command", command: ["agent", "{task}"] }),
  printing("a shell that is given the task", { use: "command", command: ["bash", "-c", "{task}"] }),
  {
    name: "a program with described lines",
    spec: { use: "command", command: ["agent"], signals: [...LINES] },
    ends: (words) => {
      const lines = describedLines(LINES, { startedAt: 0, resumes: false });
      const reported = read(headlessReader(lines), [
        { tool: "edit" },
        ...said(words, { say: words }),
        { end: true },
      ]);
      return [...reported, EXIT];
    },
  },
  inTerminal("a program in a terminal", ["goose", "session"]),
  inTerminal("a shell in a terminal", ["bash", "--norc"]),
];
