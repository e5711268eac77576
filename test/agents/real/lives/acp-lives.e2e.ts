import { test } from "node:test";
import { FIRST_LIFE, LIVES_IN_DAYS, notToday } from "../../agents-tier.ts";
import { liveThrough } from "./agent-life.ts";
import { ACP_AGENTS } from "../agent-setup.ts";
import { notInstalled } from "../agent-stage.ts";

const agents = ACP_AGENTS.filter(({ livesOn }) => livesOn);

for (const [at, agent] of agents.entries()) {
  const { name, version, command, aim } = agent;
  test(
    `A1 A2 A6 the real ${name} ${version}, over the Agent Client Protocol, does its task, is taken over in the middle of a turn, and is resumed`,
    { skip: notToday(FIRST_LIFE.acp + at, LIVES_IN_DAYS) || (command === undefined && notInstalled(name)) },
    (t) => liveThrough(t, { spec: { use: "acp", command }, aim }).then(() => undefined),
  );
}
