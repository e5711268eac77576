import { type AgentTraits, HEADLESS, SPOKEN } from "./agent-traits.ts";
import { AWS, VERTEX } from "./clouds.ts";

export const claude: AgentTraits = {
  is: "vendor",
  asksNobody: true,
  continuesBrokenTurn: true,
  output: "events",
  capabilities: HEADLESS,
  claim: { ...SPOKEN, claims: "its event `result` without an error, with words in its answer" },
  variables: {
    names: [
      ...["ANTHROPIC_*", "CLAUDE_*", "CLAUDECODE", "DISABLE_*", "ENABLE_*", "MCP_*", "API_TIMEOUT_MS"],
      ...["MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "BASH_DEFAULT_*", "BASH_MAX_*"],
      ...["USE_BUILTIN_RIPGREP", "VERTEX_REGION_*", "IS_SANDBOX", "OTEL_*"],
    ],
    clouds: { CLAUDE_CODE_USE_BEDROCK: AWS, CLAUDE_CODE_USE_VERTEX: VERTEX },
  },
  obeys: {
    rules: ["CLAUDE.md", "CLAUDE.local.md"],
    settings: [".claude/", ".mcp.json"],
    ownWrites: [".claude/worktrees/"],
  },
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
};
