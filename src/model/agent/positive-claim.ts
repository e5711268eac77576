import type { AgentKind } from "../flow/agent-kinds.ts";

/** What an agent of one kind must say for its word to count as a claim of success (B4); the words are in docs/agents.md. */
export interface ClaimRule {
  readonly claims: string;
  /** It ends with words of its own: where they are missing it was cut short, whatever it has changed. */
  readonly speaks: boolean;
  /** Its words are read for errors, limits and refusals told in prose. */
  readonly prose: boolean;
  /** What it does need not show in files, so its word needs no change of them. */
  readonly person: boolean;
}

const SPOKEN = { speaks: true, prose: true, person: false } as const;

export const POSITIVE_CLAIMS: Readonly<Record<AgentKind, ClaimRule>> = {
  demo: { ...SPOKEN, claims: "the act `claim` of its script with `ok: true`" },
  function: { ...SPOKEN, speaks: false, claims: "a returned value; `undefined` claims nothing" },
  claude: { ...SPOKEN, claims: "its event `result` without an error, with words in its answer" },
  codex: { ...SPOKEN, claims: "its event `turn.completed` after an answer with words" },
  opencode: {
    ...SPOKEN,
    claims: "its event `step_finish` with the reason `stop` after an answer with words",
  },
  gemini: { ...SPOKEN, claims: "its event `result` with the status `success` after an answer with words" },
  acp: { ...SPOKEN, claims: "`end_turn` with words after its last tool call" },
  command: {
    ...SPOKEN,
    speaks: false,
    claims:
      "exit code 0 after an answer with words; with a rule `done`, a line that matches it. A shell or an interpreter claims nothing by its output",
  },
  // What it shows is read by the driver, which knows what of a screen is its answer.
  tmux: {
    ...SPOKEN,
    speaks: false,
    prose: false,
    claims:
      "it waits for its user again and has printed an answer; a shell or an interpreter claims nothing by its output",
  },
  manual: {
    ...SPOKEN,
    prose: false,
    person: true,
    claims: "a person says that it is done (`holdfast approve`)",
  },
};
