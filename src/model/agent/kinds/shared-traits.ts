import type { AgentCapabilities, AgentTraits, ClaimRule, Counts, ObeyedFiles } from "./agent-traits.ts";

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
