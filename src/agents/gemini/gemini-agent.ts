import path from "node:path";
import { geminiVocabulary } from "./gemini-vocabulary.ts";
import { envOf, type HeadlessAgent, objectIn, type OfferMcp, unless } from "../headless/headless-agent.ts";
import { geminiChats } from "../meters/gemini-chats.ts";
import { LEDGER_HOMES } from "../meters/ledger-homes.ts";

/** It keeps conversations there: they must be found by the next attempt. */
const KEPT = ["tmp", "history"];
const SETTINGS = "settings.json";

/**
 * It reads servers from settings files alone, and those of the system count only if root owns them. So it is given a
 * home of the session's own, in which everything is a link to the person's home but the settings: they are a copy
 * with our server added. Settings of the project still count.
 */
const offerToGemini: OfferMcp = (servers, { file, env, read, list }) => {
  const real = path.join(env["GEMINI_CLI_HOME"] ?? env["HOME"] ?? "", ".gemini");
  const home = file("gemini-home");
  const own = path.join(home, ".gemini");
  const before = objectIn(read(path.join(real, SETTINGS)));
  const known = objectIn(JSON.stringify(before["mcpServers"] ?? {}));
  const offered = servers.map((server): [string, object] => [
    server.name,
    // Trusted: nobody is there to be asked before each call.
    { command: server.command, args: server.args, env: envOf(server), trust: true },
  ]);
  const mcpServers = { ...known, ...Object.fromEntries(offered) };
  const linked = new Set([...KEPT, ...list(real)].filter((name) => name !== SETTINGS));
  return {
    env: { GEMINI_CLI_HOME: home },
    folders: [own, ...KEPT.map((name) => path.join(real, name))],
    links: Object.fromEntries([...linked].map((name) => [path.join(own, name), path.join(real, name)])),
    files: { [path.join(own, SETTINGS)]: JSON.stringify({ ...before, mcpServers }) },
  };
};

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
