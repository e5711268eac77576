import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { PERFORMERS } from "./performers.ts";
import { CAUSES, suspend } from "./suspension.ts";

/** In `npm test` one agent and one cause stand for all. */
const isShort = ({ name }: { readonly name: string }, cause: { readonly name: string }): boolean =>
  name.startsWith("codex") && !name.includes("acp") && cause === CAUSES[0];

for (const agent of PERFORMERS)
  for (const cause of CAUSES)
    test(
      `B1 the real ${agent.name} is suspended and continued for ${cause.name}`,
      { skip: agent.missing || (isShort(agent, cause) ? false : agentsTier) },
      (t) => suspend(t, agent, cause),
    );
