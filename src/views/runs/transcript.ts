import { AGENTS, type AgentKind } from "../../model/agent/kinds/registry.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { cut } from "../text/describe-signal.ts";

export const isStructured = (use: AgentKind | undefined): boolean =>
  use !== undefined && AGENTS[use].output === "events";

const ARGS_CHARS = 160;
const RESULT_LINES = 4;
const RESULT_CHARS = 400;

/** What a person reads of one signal: what was said, done and came of it; nothing of what is only counted. */
export function transcriptLines(signal: Signal): string[] {
  switch (signal.kind) {
    case "message":
      return linesOf(signal.text, signal.from === "agent" ? "" : `[${signal.from}] `);
    case "tool_call":
      return [`▸ ${signal.name} ${cut(signal.args ?? "", ARGS_CHARS)}`.trimEnd()];
    case "tool_result":
      return resultLines(signal);
    case "progress":
    case "unknown":
      return linesOf(signal.text);
    case "permission":
      return [`? asks for permission: ${cut(signal.what, RESULT_CHARS)}`];
    case "question":
      return linesOf(signal.text, "? ");
    case "condensed":
      return ["(made its conversation shorter)"];
    case "rate_limit":
      return linesOf(signal.text, "! limit: ");
    case "error":
      return linesOf(signal.text, "! error: ");
    case "blocked":
      return linesOf(signal.text, `! cannot continue (${signal.reason}): `);
    case "result":
      return linesOf(signal.text, signal.ok ? "✓ " : "✗ ");
    case "exit":
      if (signal.how === "code" && signal.code === 0) return [];
      return [
        signal.how === "code"
          ? `exit code ${String(signal.code)}`
          : `ended by ${signal.signal ?? signal.how}`,
      ];
    case "ready":
    case "usage":
    case "conversation":
    case "context":
    case "speaking":
    case "answered":
      return [];
  }
}

function resultLines({ ok, text = "" }: Extract<Signal, { kind: "tool_result" }>): string[] {
  const mark = ok ? "  ↳ " : "  ↳ failed: ";
  const lines = text.slice(0, RESULT_CHARS).trimEnd().split("\n");
  const kept = lines.slice(0, RESULT_LINES);
  const isCut = lines.length > kept.length || text.length > RESULT_CHARS;
  return kept.map((line, at) =>
    `${at === 0 ? mark : "    "}${line}${isCut && at === kept.length - 1 ? " …" : ""}`.trimEnd(),
  );
}

const linesOf = (text: string, mark = ""): string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line, at) => `${at === 0 ? mark : " ".repeat(mark.length)}${line}`);
