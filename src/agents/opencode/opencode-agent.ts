import type { HeadlessAgent } from "../headless/headless-agent.ts";
import { offerToOpencode } from "./opencode-mcp.ts";
import { opencodeVocabulary } from "./opencode-vocabulary.ts";

/** opencode as `opencode run`: one prompt, events as JSON Lines. What it may do is said by its own configuration. */
export const opencodeAgent: HeadlessAgent = {
  use: "opencode",
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  knownVersions: ["1.18.33"],
  // A program that replaces itself while it is being kept alive cannot be relied on.
  env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  // It leaves a library of several megabytes behind, every time.
  ownTmp: true,
  offerMcp: offerToOpencode,
  argv: (task) => [
    ...["run", "--format", "json"],
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.resume === undefined ? [] : ["--session", task.resume]),
    ...task.args,
  ],
  vocabulary: opencodeVocabulary,
};
