import { type AgentTraits, ALL_LIVE, INSIDE, NOTHING, SPOKEN } from "./agent-traits.ts";
import { ANY_VARIABLES } from "./any-variables.ts";

/** A scripted agent that comes with Holdfast. */
export const demo: AgentTraits = {
  ...INSIDE,
  capabilities: { ...NOTHING, usage: true, counts: ALL_LIVE },
  claim: { ...SPOKEN, claims: "the act `claim` of its script with `ok: true`" },
};

/** It counts as far as it reports what it uses. One that a program registers lives inside that program. */
export const functionAgent: AgentTraits = {
  ...INSIDE,
  capabilities: { ...NOTHING, usage: true, counts: ALL_LIVE },
  claim: { ...SPOKEN, speaks: false, claims: "a returned value; `undefined` claims nothing" },
  variables: ANY_VARIABLES,
};

/** A person. */
export const manual: AgentTraits = {
  ...INSIDE,
  output: "text",
  capabilities: { ...NOTHING, permissions: true },
  claim: {
    ...SPOKEN,
    prose: false,
    person: true,
    claims: "a person says that it is done (`holdfast approve`)",
  },
};
