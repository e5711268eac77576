import { noTmux } from "../contract/tmux-subject.ts";
import { TERMINAL_AGENTS } from "../tmux/terminal-stage.ts";
import { ACP_AGENTS, ONE_SHOT_AGENTS } from "./agent-setup.ts";
import { notInstalled } from "./agent-stage.ts";
import { OTHER_AGENTS } from "./other-agents.ts";
import type { Performer } from "./show.ts";

/** A real agent in one of the ways in which Holdfast runs it. */
export interface NamedPerformer {
  readonly name: string;
  readonly performer: Performer;
  /** Why it cannot perform here. */
  readonly missing: string | false;
}

/** Of some agents the model must be named. */
const MODELS: Readonly<Record<string, { readonly model: string }>> = {
  // Otherwise a second model is asked which model is best.
  gemini: { model: "gemini-2.5-flash" },
  // It does not tell which one it uses, and so which price it has.
  opencode: { model: "scripted/scripted-model" },
};

const headless: readonly NamedPerformer[] = ONE_SHOT_AGENTS.map(({ name, version, program, aim }) => ({
  name: `${name} ${version}`,
  performer: { spec: { use: name, command: program, ...MODELS[name] }, aim },
  missing: program === undefined && notInstalled(name),
}));

const overAcp: readonly NamedPerformer[] = ACP_AGENTS.filter(({ livesOn }) => livesOn).map(
  ({ name, version, command, aim }) => ({
    name: `${name} ${version}`,
    performer: { spec: { use: "acp", command }, aim },
    missing: command === undefined && notInstalled(name),
  }),
);

const inTerminals: readonly NamedPerformer[] = TERMINAL_AGENTS.slice(0, 2).map(({ agent, args, files }) => ({
  name: `${agent.name} ${agent.version} in tmux`,
  performer: {
    spec: { use: "tmux", command: [...(agent.program ?? []), ...args] },
    aim: (stage) => {
      const aim = agent.aim(stage);
      return { env: aim.env, files: { ...aim.files, ...files(stage) } };
    },
  },
  missing: noTmux || (agent.program === undefined && notInstalled(agent.name)),
}));

/** Agents without a driver of their own. */
export const OTHER_PERFORMERS: readonly NamedPerformer[] = OTHER_AGENTS.map(
  ({ name, version, use, command, more, aim }) => ({
    name: `${name} ${version}${use === "tmux" ? " in tmux" : ""}`,
    performer: { spec: { use, command, ...more }, aim },
    missing: (use === "tmux" && noTmux) || (command === undefined && notInstalled(name, "agents")),
  }),
);

/** Those that Holdfast knows by name, in every way in which it runs them. */
export const PERFORMERS: readonly NamedPerformer[] = [...headless, ...overAcp, ...inTerminals];
export const ALL_PERFORMERS: readonly NamedPerformer[] = [...PERFORMERS, ...OTHER_PERFORMERS];
