import { claudeAgent } from "../../../src/agents/claude/claude-agent.ts";
import { codexAgent } from "../../../src/agents/codex/codex-agent.ts";
import { geminiAgent } from "../../../src/agents/gemini/gemini-agent.ts";
import { opencodeAgent } from "../../../src/agents/opencode/opencode-agent.ts";
import type { HeadlessAgent } from "../../../src/agents/headless/headless-agent.ts";
import { NO_TOKENS, type TokenCount } from "../../../src/agents/headless/headless-agent.ts";
import { headlessReader } from "../../../src/agents/headless/headless-reader.ts";
import type { Spool } from "../../../src/agents/keeper/spool/spool-tail.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";

export const HEADLESS_AGENTS: readonly HeadlessAgent[] = [
  claudeAgent,
  codexAgent,
  opencodeAgent,
  geminiAgent,
];

/** A morning before any time that the recordings name. */
export const STARTED_AT = Date.UTC(2026, 10, 15, 7);

export interface PrintedLine {
  readonly text: string;
  readonly from: Spool;
}

/** What one session's lines mean, read in order. */
export function signalsOf(
  agent: HeadlessAgent,
  lines: readonly PrintedLine[],
  usedBefore: TokenCount = NO_TOKENS,
): Signal[] {
  const reader = headlessReader(agent.vocabulary({ startedAt: STARTED_AT, usedBefore }));
  return lines.flatMap(({ text, from }) => reader.read({ text, kind: "whole", end: 0 }, from));
}
