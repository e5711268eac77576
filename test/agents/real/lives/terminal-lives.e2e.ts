import { test } from "node:test";
import { FIRST_LIFE, LIVES_IN_DAYS, notToday } from "../../agents-tier.ts";
import { noTmux } from "../../contract/tmux-subject.ts";
import { TERMINAL_AGENTS } from "../../tmux/terminal-stage.ts";
import { liveThrough } from "./agent-life.ts";
import { notInstalled } from "../agent-stage.ts";

const living = TERMINAL_AGENTS.slice(0, 2);

for (const [at, one] of living.entries()) {
  const { agent, args, files } = one;
  test(
    `A1 A2 A6 the real ${agent.name} ${agent.version}, in its terminal, does its task, is taken over in the middle of a turn, and is resumed`,
    {
      skip:
        noTmux ||
        notToday(FIRST_LIFE.terminal + at, LIVES_IN_DAYS) ||
        (agent.program === undefined && notInstalled(agent.name)),
    },
    async (t) => {
      await liveThrough(t, {
        spec: { use: "tmux", command: [...(agent.program ?? []), ...args] },
        aim: (stage) => {
          const aim = agent.aim(stage);
          return { env: aim.env, files: { ...aim.files, ...files(stage) } };
        },
        onScreen: true,
        breaksItsHistory: agent.name === "gemini",
      });
    },
  );
}
