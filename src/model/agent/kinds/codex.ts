import { type AgentTraits, HEADLESS, SPOKEN } from "./agent-traits.ts";

export const codex: AgentTraits = {
  is: "vendor",
  asksNobody: true,
  continuesBrokenTurn: true,
  output: "events",
  capabilities: HEADLESS,
  claim: { ...SPOKEN, claims: "its event `turn.completed` after an answer with words" },
  variables: { names: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*", "RUST_LOG", "OTEL_*"] },
  obeys: { rules: [], settings: [".codex/"], ownWrites: [] },
  hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
};
