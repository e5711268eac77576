import assert from "node:assert/strict";
import { test } from "node:test";
import { restsToday } from "../../day-sample.ts";
import { headlessDriver } from "../../../src/agents/headless/headless-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { HEADLESS_AGENTS } from "../headless/headless-agents.ts";
import { playBranches } from "./nasty-branches.ts";
import { playCommands } from "./nasty-commands.ts";
import { withCanary } from "./nasty-sessions.ts";
import { playSessions, playTalks } from "./play-inputs.ts";

const inputsRest = (place: number): string | false => restsToday(place, 2, "npm run chaos:inputs");

test(
  "A1 A3 nasty strings as task, folder, session, model, conversation and environment reach every headless agent as they are, and run nothing",
  { skip: inputsRest(0) },
  () => playSessions(14),
);

test(
  "A8 nasty strings sent to an agent through its keeper arrive as they are, and run nothing",
  { skip: inputsRest(1) },
  () => playTalks(60),
);

test(
  "A9 P4 nasty strings as goal, run, agent, note and words to an agent on the command line run nothing",
  { skip: inputsRest(0) },
  () => playCommands(1),
);

test(
  "W1 P4 nasty strings as branch, folder, file and message of a worktree are taken as they are or refused, and run nothing",
  { skip: inputsRest(1) },
  async () => {
    assert.ok((await playBranches(24)) > 0, "some of them are names for a branch");
  },
);

test("P4 a model that looks like an option, and a word with a NUL, are refused for good before anything starts", () =>
  withCanary(async (folder, canary) => {
    for (const agent of HEADLESS_AGENTS) {
      const driver = headlessDriver(agent, { world: realWorld(), folder });
      const command = ["/bin/sh", "-c", `touch ${canary}`];
      const order = { session: "s", run: "r", step: "s", attempt: "a", number: 1, task: "t", cwd: folder };
      for (const more of [{ model: "--yolo" }, { args: ["a\0b"] }, { env: { A: "\0" } }]) {
        const outcome = await driver.start({ ...order, spec: { use: agent.use, command, ...more } });
        assert.ok(outcome.kind === "failed" && outcome.terminal && /expected/.test(outcome.text));
      }
      await driver.close();
    }
  }));
