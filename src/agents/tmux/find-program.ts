import path from "node:path";
import type { AgentSpec } from "../../model/flow/flow.ts";
import { claudeProgram } from "./programs/claude.ts";
import { codexProgram } from "./programs/codex.ts";
import { geminiProgram } from "./programs/gemini.ts";
import { opencodeProgram } from "./programs/opencode.ts";
import { type DialogLook, plainProgram, type Program, readPrompt } from "./programs/program.ts";

export const KNOWN_PROGRAMS: readonly Program[] = [
  claudeProgram,
  codexProgram,
  geminiProgram,
  opencodeProgram,
];

/** By the name of the program or, for what an interpreter runs, of its first argument. A described prompt goes before. */
export function findProgram(spec: AgentSpec): Program | { readonly problem: string } {
  const { command = [], prompt } = spec;
  const dialogs = readDialogs(spec.dialog ?? []);
  if ("problem" in dialogs) return dialogs;
  if (prompt !== undefined) {
    const read = readPrompt(prompt);
    return "problem" in read ? read : plainProgram(read, command, dialogs.looks);
  }
  const names = command.slice(0, 2).map((word) => path.basename(word).replace(/\.[cm]?js$/, ""));
  const known = KNOWN_PROGRAMS.find(({ name }) => names.includes(name));
  if (known === undefined) return plainProgram(undefined, command, dialogs.looks);
  return dialogs.looks.length === 0 ? known : { ...known, dialogs: [...dialogs.looks, ...known.dialogs] };
}

/** Dialogs that people describe: one with both answers is a request for permission, any other a question. */
function readDialogs(
  described: NonNullable<AgentSpec["dialog"]>,
): { readonly looks: readonly DialogLook[] } | { readonly problem: string } {
  const looks: DialogLook[] = [];
  for (const { shows, allow, deny } of described) {
    const read = readPrompt(shows);
    if ("problem" in read) return { problem: read.problem.replace("the prompt", "the dialog") };
    const line = new RegExp(read.source, "mu");
    const keys = allow === undefined || deny === undefined ? {} : { keys: { allow, deny } };
    looks.push({ kind: "keys" in keys ? "permission" : "question", shows: [line], from: line, ...keys });
  }
  return { looks };
}
