import { type AgentTraits, HEADLESS, NO_FILES, NOTHING, PRICED, SPOKEN } from "./agent-traits.ts";
import { ANY_VARIABLES } from "./any-variables.ts";

const PROGRAM = {
  is: "program",
  asksNobody: false,
  continuesBrokenTurn: false,
  output: "text",
  variables: ANY_VARIABLES,
  obeys: NO_FILES,
  hosts: [],
} as const;

export const acp: AgentTraits = {
  ...PROGRAM,
  output: "events",
  capabilities: {
    ...HEADLESS,
    steer: "live",
    permissions: true,
    counts: { ...PRICED, usd: "end", tokens: "end" },
  },
  claim: { ...SPOKEN, claims: "`end_turn` with words after its last tool call" },
  // Agents that are known to speak the protocol and have no driver of their own.
  obeys: {
    rules: ["QWEN.md", ".goosehints"],
    settings: [".qwen/", ".kilocode/"],
    ownWrites: [],
  },
};

/** What its lines mean is described in the configuration, and with it what can be counted. */
export const command: AgentTraits = {
  ...PROGRAM,
  asksNobody: true,
  capabilities: { ...NOTHING, steer: "between-turns", resume: true, usage: true },
  claim: {
    ...SPOKEN,
    speaks: false,
    claims:
      "exit code 0 after an answer with words; with a rule `done`, a line that matches it. A shell or an interpreter claims nothing by its output",
  },
};

/** What it shows is read by the driver, which knows what of a screen is its answer. */
export const tmux: AgentTraits = {
  ...PROGRAM,
  capabilities: { ...NOTHING, steer: "live", resume: true, permissions: true },
  claim: {
    ...SPOKEN,
    speaks: false,
    prose: false,
    claims:
      "it waits for its user again and has printed an answer; a shell or an interpreter claims nothing by its output",
  },
};
