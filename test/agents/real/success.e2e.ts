import { test } from "node:test";
import { agentsTier, notToday } from "../agents-tier.ts";
import { SCENES, playScene, type Scene } from "../brakes/success-cell.ts";
import { whyNotPossible } from "./not-possible.ts";
import { ALL_PERFORMERS, type NamedPerformer } from "./performers.ts";

/** In `npm test` one agent stands for all, and two scenes for the others. */
const isShort = ({ name }: NamedPerformer, { name: scene }: Scene): boolean =>
  name.startsWith("codex") &&
  !name.includes("acp") &&
  (scene === "nothing done and a green check" || scene === "real work with a check that was red");

for (const agent of ALL_PERFORMERS)
  for (const scene of SCENES)
    test(
      `B4 ${scene.name} of the real ${agent.name} is ${scene.success ? "" : "no "}success`,
      {
        skip:
          agent.missing ||
          whyNotPossible(agent.name, scene.name) ||
          (isShort(agent, scene) ? notToday(1, 2) : agentsTier),
      },
      async (t) => {
        await playScene(t, agent, scene);
      },
    );
