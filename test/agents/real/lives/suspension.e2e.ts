import { test } from "node:test";
import { agentsTier, notToday } from "../../agents-tier.ts";
import { approveLate, lateMissing } from "../../brakes/late-approval-cell.ts";
import { CAUSES, suspend } from "../../brakes/suspension-cell.ts";
import { whyNotPossible } from "../not-possible.ts";
import { ALL_PERFORMERS } from "../performers.ts";

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
          (isShort(agent, cause) ? notToday(0, 2) : agentsTier),
      },
      async (t) => {
        await suspend(t, agent, cause);
      },
    );

test(
  "B1 A9 the real opencode idles while its permission is asked for, is suspended, and a late approval reaches it",
  { skip: lateMissing || agentsTier },
  async (t) => {
    await approveLate(t);
  },
);
