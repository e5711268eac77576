import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { ACP_AGENTS } from "./agent-setup.ts";
import { written } from "./agent-stage.ts";
import { whyNotPossible } from "./not-possible.ts";
import { ALL_PERFORMERS } from "./performers.ts";
import { CONTENT, HELLO } from "./scripts.ts";
import { story } from "./show.ts";
import { CAUSES, answerLate, suspend } from "./suspension.ts";

/** In `npm test` one agent and one cause stand for all. */
const isShort = ({ name }: { readonly name: string }, cause: { readonly name: string }): boolean =>
  name.startsWith("codex") && !name.includes("acp") && cause === CAUSES[0];

for (const agent of ALL_PERFORMERS)
  for (const cause of CAUSES)
    test(
      `B1 the real ${agent.name} is suspended and continued for ${cause.name}`,
      {
        skip:
          agent.missing ||
          whyNotPossible(agent.name, cause.name) ||
          (isShort(agent, cause) ? false : agentsTier),
      },
      (t) => suspend(t, agent, cause),
    );

const opencode = ACP_AGENTS.find(({ name }) => name === "opencode acp");
const missing = opencode?.command === undefined && "opencode is not installed";

test(
  "B1 A9 the real opencode idles while its permission is asked for, is suspended, and a late approval reaches it",
  { skip: missing || agentsTier },
  async (t) => {
    const [first] = HELLO.turns;
    assert.ok(opencode !== undefined && first !== undefined);
    const { command, aim } = opencode;
    const asks: typeof aim = (stage) => {
      const { env, files } = aim(stage);
      const asking = Object.entries(files).map(([file, text]) => [
        file,
        text.replace('"edit":"allow"', '"edit":"ask"'),
      ]);
      return { env, files: Object.fromEntries(asking) as Record<string, string> };
    };
    const again = { ...first, repeat: "forever" } as const;
    const show = await answerLate(t, { spec: { use: "acp", command }, aim: asks }, { turns: [again] });
    for (let looks = 0; looks < 3_000 && written(show.stage) === ""; looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(written(show.stage), CONTENT, story(await show.events()));
    await show.bench.call(["cancel", show.run]);
  },
);
