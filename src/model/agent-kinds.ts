/** What agents can be run with; each has a driver of its own. */
export const AGENT_KINDS = [
  "demo",
  "function",
  "claude",
  "codex",
  "opencode",
  "gemini",
  "acp",
  "tmux",
  "manual",
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** What may be asked of an agent. Judgement and drivers read it here, so that they agree. */
export interface AgentCapabilities {
  /** False: the session dies with this process and is re-entered by the next, at no charge. */
  readonly outlivesSupervisor: boolean;
  /** Whether words reach the agent while it works, with its next attempt, or not at all. */
  readonly steer: "live" | "between-turns" | "none";
  /** Whether a conversation can be gone on with after its process is gone. */
  readonly resume: boolean;
  /** Whether the agent asks for permission and waits for the answer. */
  readonly permissions: boolean;
  readonly usage: boolean;
  /** Whether it takes MCP servers. */
  readonly mcp: boolean;
}

const NOTHING: AgentCapabilities = {
  outlivesSupervisor: true,
  steer: "none",
  resume: false,
  permissions: false,
  usage: false,
  mcp: false,
};

const HEADLESS: AgentCapabilities = {
  ...NOTHING,
  steer: "between-turns",
  resume: true,
  usage: true,
  mcp: true,
};

export const CAPABILITIES: Readonly<Record<AgentKind, AgentCapabilities>> = {
  demo: { ...NOTHING, usage: true },
  function: { ...NOTHING, outlivesSupervisor: false, usage: true },
  claude: HEADLESS,
  codex: HEADLESS,
  opencode: HEADLESS,
  gemini: HEADLESS,
  acp: { ...HEADLESS, steer: "live", permissions: true },
  tmux: { ...NOTHING, steer: "live", resume: true, permissions: true },
  manual: { ...NOTHING, permissions: true },
};
