import { unless, type HeadlessAgent } from "../headless/headless-agent.ts";
import { codexRollouts } from "../meters/codex-rollout.ts";
import { LEDGER_HOMES } from "../meters/ledger-homes.ts";
import { offerToCodex } from "./codex-mcp.ts";
import { codexTotal, codexVocabulary } from "./codex-vocabulary.ts";

const SANDBOX = "--dangerously-bypass-approvals-and-sandbox";

/** Codex as `codex exec`: one prompt, events as JSON Lines. */
export const codexAgent: HeadlessAgent = {
  use: "codex",
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  knownVersions: ["0.166.0"],
  env: {},
  offerMcp: offerToCodex,
  argv: (task) => [
    ...["exec", "--json", "--skip-git-repo-check"],
    // Its sandbox needs rights that a container rarely has, and its approvals somebody to give them.
    ...unless(["--sandbox", "-s", "--full-auto", "--approve-for-me", SANDBOX], task, [SANDBOX]),
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.offer ?? []),
    ...task.args,
    ...(task.resume === undefined ? [] : ["resume", task.resume]),
    // A lone dash means its standard input.
    ...["--", "-"],
  ],
  vocabulary: codexVocabulary,
  ledger: { home: LEDGER_HOMES.codex, open: codexRollouts },
  totalOf: codexTotal,
};
