import { unless, type HeadlessAgent } from "../headless/headless-agent.ts";
import { geminiChats } from "../meters/gemini-chats.ts";
import { LEDGER_HOMES } from "../meters/ledger-homes.ts";
import { offerToGemini } from "./gemini-mcp.ts";
import { geminiVocabulary } from "./gemini-vocabulary.ts";

/** Gemini CLI with a prompt: events as JSON Lines. */
export const geminiAgent: HeadlessAgent = {
  use: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  install: "npm install -g @google/gemini-cli",
  knownVersions: ["0.61.0"],
  // In a folder that nobody has trusted it does not begin, and nobody is there to be asked.
  env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  offerMcp: offerToGemini,
  argv: (task) => [
    ...["--output-format", "stream-json"],
    // Without somebody to ask it leaves out every tool that would ask.
    ...unless(["--approval-mode", "--yolo", "-y"], task, ["--approval-mode", "yolo"]),
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.resume === undefined ? ["--session-id", task.conversation] : ["--resume", task.resume]),
    ...task.args,
  ],
  vocabulary: geminiVocabulary,
  ledger: { home: LEDGER_HOMES.gemini, open: geminiChats },
};
