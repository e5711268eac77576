import { type AgentTraits, ALL_LIVE, HEADLESS, SPOKEN } from "./agent-traits.ts";
import { ANY_VARIABLES } from "./any-variables.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";

export const opencode: AgentTraits = {
  is: "vendor",
  asksNobody: true,
  continuesBrokenTurn: false,
  output: "events",
  capabilities: { ...HEADLESS, counts: { ...ALL_LIVE, context: "none", usdBy: "either" } },
  claim: {
    ...SPOKEN,
    claims: "its event `step_finish` with the reason `stop` after an answer with words",
  },
  variables: ANY_VARIABLES,
  obeys: {
    rules: [],
    settings: ["opencode.json", "opencode.jsonc", ".opencode/"],
    ownWrites: [
      ".opencode/node_modules/",
      ".opencode/package.json",
      ".opencode/bun.lock",
      ".opencode/.gitignore",
    ],
  },
  hosts: ["opencode.ai", "models.dev", ...claude.hosts, ...codex.hosts, ...gemini.hosts],
};
