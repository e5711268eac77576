/** What agents can be run with; each has a driver of its own. */
export const AGENT_KINDS = [
  "demo",
  "function",
  "claude",
  "codex",
  "opencode",
  "gemini",
  "acp",
  "command",
  "tmux",
  "manual",
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** When it is known what an agent has used: as its requests finish, when its session or turn ends, or never. */
export type Counted = "live" | "end" | "none";

/** By kind of what is used, and how full its context is. Where an agent leaves it to others, this is the least. */
export interface Counts {
  readonly usd: Counted;
  readonly tokens: Counted;
  readonly turns: Counted;
  readonly time: Counted;
  readonly context: Counted;
  /**
   * `prices`: while it works its money is known by the price of its tokens alone. `either`: it reports what it has a
   * price for itself, and nothing else.
   */
  readonly usdBy: "agent" | "prices" | "either";
}

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
  readonly counts: Counts;
  /** Whether it takes MCP servers. */
  readonly mcp: boolean;
}

const ALL_LIVE: Counts = {
  usd: "live",
  tokens: "live",
  turns: "live",
  time: "live",
  context: "live",
  usdBy: "agent",
};
const PRICED: Counts = { ...ALL_LIVE, usdBy: "prices" };

const NOTHING: AgentCapabilities = {
  outlivesSupervisor: true,
  steer: "none",
  resume: false,
  permissions: false,
  usage: false,
  counts: { usd: "none", tokens: "none", turns: "none", time: "live", context: "none", usdBy: "agent" },
  mcp: false,
};

const HEADLESS: AgentCapabilities = {
  ...NOTHING,
  steer: "between-turns",
  resume: true,
  usage: true,
  counts: ALL_LIVE,
  mcp: true,
};

export const CAPABILITIES: Readonly<Record<AgentKind, AgentCapabilities>> = {
  demo: { ...NOTHING, usage: true, counts: ALL_LIVE },
  // As far as it reports what it uses. One given as a module: what a program registers lives inside that program.
  function: { ...NOTHING, usage: true, counts: ALL_LIVE },
  claude: { ...HEADLESS, counts: PRICED },
  codex: { ...HEADLESS, counts: PRICED },
  opencode: { ...HEADLESS, counts: { ...ALL_LIVE, context: "none", usdBy: "either" } },
  gemini: { ...HEADLESS, counts: PRICED },
  acp: {
    ...HEADLESS,
    steer: "live",
    permissions: true,
    counts: { ...PRICED, usd: "end", tokens: "end" },
  },
  // As far as its lines are described: see countsOf.
  command: { ...NOTHING, steer: "between-turns", resume: true, usage: true },
  tmux: { ...NOTHING, steer: "live", resume: true, permissions: true },
  manual: { ...NOTHING, permissions: true },
};

/**
 * Agents whose conversation continues with a message after its turn was broken off. Others repeat results of tools that
 * their provider refuses (gemini), or do not begin again (opencode).
 */
export const CONTINUES_BROKEN_TURN: ReadonlySet<AgentKind> = new Set(["claude", "codex"]);
