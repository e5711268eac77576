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

/** What may be asked of an agent. Rules and drivers read it here, so that they agree. */
export interface AgentCapabilities {
  /** False: the session dies with this process and is re-entered by the next, at no charge. */
  readonly outlivesSupervisor: boolean;
  /** Whether words reach the agent while it works, with its next attempt, or not at all. */
  readonly steer: "live" | "between-turns" | "none";
  /** Whether a conversation continues after its process is gone. */
  readonly resume: boolean;
  /** Whether the agent asks for permission and waits for the answer. */
  readonly permissions: boolean;
  readonly usage: boolean;
  readonly counts: Counts;
  /** Whether it takes MCP servers. */
  readonly mcp: boolean;
}

/** What an agent of one kind must say for its word to count as a claim of success (B4); the words are in docs/agents.md. */
interface ClaimRule {
  readonly claims: string;
  /** It ends with words of its own: where they are missing it was cut short, no matter what it has changed. */
  readonly speaks: boolean;
  /** Its words are read for errors, limits and refusals reported in prose. */
  readonly prose: boolean;
  /** What it does need not show in files, so its word needs no change of them. */
  readonly person: boolean;
}

/** What one vendor's agent reads of its environment: its keys, where its provider is, how it works. */
export interface OwnVariables {
  readonly names: readonly string[];
  /** The keys of a cloud, only where the agent is set to reach its model by that cloud. */
  readonly clouds?: Readonly<Record<string, readonly string[]>>;
}

/** Files of the folder it works in from which an agent learns what to run and what to obey. */
export interface ObeyedFiles {
  /** Rules in plain language. */
  readonly rules: readonly string[];
  /** Settings, hooks, servers and commands: files, or folders, which end with a slash. */
  readonly settings: readonly string[];
  /** What the agent writes among them itself while it works; folders end with a slash. */
  readonly ownWrites: readonly string[];
}

/** Everything that Holdfast knows of one kind of agent beside its driver. One object a kind, listed in registry.ts. */
export interface AgentTraits {
  /**
   * `vendor`: a program with a driver of its own, which needs no configuration and does nothing without an answer of
   * its model. `program`: any other program. `inside`: no program, or Holdfast's own.
   */
  readonly is: "vendor" | "program" | "inside";
  /** Nobody is there to be asked: it does what it decides to do. */
  readonly asksNobody: boolean;
  /**
   * Its conversation continues with a message after its turn was broken off. Others repeat results of tools that their
   * provider refuses, or do not begin again.
   */
  readonly continuesBrokenTurn: boolean;
  /** `events`: what it prints is made for programs, and what it said is read from the journal instead. */
  readonly output: "events" | "text";
  readonly capabilities: AgentCapabilities;
  readonly claim: ClaimRule;
  readonly variables: OwnVariables;
  readonly obeys: ObeyedFiles;
  /** Where it reaches its model and its login; with `network: provider` it reaches nothing else. */
  readonly hosts: readonly string[];
}

export const ALL_LIVE: Counts = {
  usd: "live",
  tokens: "live",
  turns: "live",
  time: "live",
  context: "live",
  usdBy: "agent",
};
export const PRICED: Counts = { ...ALL_LIVE, usdBy: "prices" };

export const NOTHING: AgentCapabilities = {
  outlivesSupervisor: true,
  steer: "none",
  resume: false,
  permissions: false,
  usage: false,
  counts: { usd: "none", tokens: "none", turns: "none", time: "live", context: "none", usdBy: "agent" },
  mcp: false,
};

/** A program that is given a task, prints what it does as JSON Lines, and can be resumed. */
export const HEADLESS: AgentCapabilities = {
  ...NOTHING,
  steer: "between-turns",
  resume: true,
  usage: true,
  counts: PRICED,
  mcp: true,
};

export const SPOKEN: Omit<ClaimRule, "claims"> = { speaks: true, prose: true, person: false };

export const NO_FILES: ObeyedFiles = { rules: [], settings: [], ownWrites: [] };

/** No program of its own: it reads nothing of the environment and of the folder. */
export const INSIDE: Omit<AgentTraits, "capabilities" | "claim"> = {
  is: "inside",
  asksNobody: false,
  continuesBrokenTurn: false,
  output: "events",
  variables: { names: [] },
  obeys: NO_FILES,
  hosts: [],
};
