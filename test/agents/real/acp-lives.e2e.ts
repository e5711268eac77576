import { test } from "node:test";
import { liveThrough } from "./agent-life.ts";
import { ACP_AGENTS } from "./agent-setup.ts";
import { notInstalled } from "./agent-stage.ts";

for (const { name, version, command, aim } of ACP_AGENTS.filter((agent) => agent.livesOn))
  test(
    `A1 A2 A6 the real ${name} ${version}, over the Agent Client Protocol, does its task, is taken over in the middle of a turn, and is resumed`,
    { skip: command === undefined && notInstalled(name) },
    (t) => liveThrough(t, { spec: { use: "acp", command }, aim }).then(() => undefined),
  );
