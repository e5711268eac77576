import type { AgentTraits } from "./agent-traits.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { demo, functionAgent, manual } from "./inside.ts";
import { opencode } from "./opencode.ts";
import { acp, command, tmux } from "./programs.ts";

/**
 * Every kind of agent that Holdfast can run; each has a driver of its own. Lists of kinds anywhere else derive from
 * this one, so that a new kind is one object and one line here.
 */
export const AGENTS = {
  demo,
  function: functionAgent,
  claude,
  codex,
  opencode,
  gemini,
  acp,
  command,
  tmux,
  manual,
} as const satisfies Readonly<Record<string, AgentTraits>>;

export type AgentKind = keyof typeof AGENTS;

export const AGENT_KINDS = Object.keys(AGENTS) as AgentKind[];

const kindsWhere = (holds: (traits: AgentTraits) => boolean): readonly AgentKind[] =>
  AGENT_KINDS.filter((kind) => holds(AGENTS[kind]));

/** Programs that need no configuration. */
export const VENDOR_KINDS = kindsWhere(({ is }) => is === "vendor");

/** What agents of any kind obey in the folder they work in. */
export const OBEYED_BY_AGENTS = AGENT_KINDS.map((kind): AgentTraits => AGENTS[kind]).map(
  ({ obeys }) => obeys,
);
