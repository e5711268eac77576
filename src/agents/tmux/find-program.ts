import path from "node:path";
import type { AgentSpec } from "../../model/flow.ts";
import { claudeProgram } from "./programs/claude.ts";
import { codexProgram } from "./programs/codex.ts";
import { geminiProgram } from "./programs/gemini.ts";
import { opencodeProgram } from "./programs/opencode.ts";
import { plainProgram, readPrompt } from "./programs/plain.ts";
import type { Program } from "./programs/program.ts";

export const KNOWN_PROGRAMS: readonly Program[] = [
  claudeProgram,
  codexProgram,
  geminiProgram,
  opencodeProgram,
];

/** By the name of the program or, for what an interpreter runs, of its first argument. A described prompt goes before. */
export function findProgram({ command = [], prompt }: AgentSpec): Program | { readonly problem: string } {
  if (prompt !== undefined) {
    const read = readPrompt(prompt);
    return "problem" in read ? read : plainProgram(read, command);
  }
  const names = command.slice(0, 2).map((word) => path.basename(word).replace(/\.[cm]?js$/, ""));
  return KNOWN_PROGRAMS.find(({ name }) => names.includes(name)) ?? plainProgram(undefined, command);
}
