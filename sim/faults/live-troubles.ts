import type { Pattern } from "../../src/model/agent/health.ts";
import type { Cause, Diagnosis } from "../../src/model/agent/ladder.ts";
import { HEALTH_ZOO, type Behaviour } from "../agents/health-zoo.ts";

/** A trouble that can be seen in a live agent, where it comes from, and the behaviour that stands for it. */
export interface Trouble extends Diagnosis {
  readonly behaviour: string;
}

const trouble = (pattern: Pattern, behaviour: string, cause: Cause = "agent"): Trouble => ({
  pattern,
  cause,
  behaviour,
});

export const LIVE_TROUBLES: readonly Trouble[] = [
  trouble("tool_loop", "circles"),
  trouble("error_loop", "same-failure"),
  trouble("error_loop", "failing-provider", "provider"),
  trouble("alternation", "edits-and-reverts"),
  trouble("monologue", "monologue"),
  trouble("promise", "promises"),
  trouble("resource_exhaustion", "full-context"),
  trouble("timeout", "hung-tool"),
  trouble("no_progress", "hung-provider", "provider"),
];

export const troubleName = ({ pattern, cause }: Diagnosis): string =>
  cause === "agent" ? pattern : `${pattern} of a ${cause}`;

export function behaviourOf({ behaviour }: Trouble): Behaviour {
  const found = HEALTH_ZOO.find(({ name }) => name === behaviour);
  if (found === undefined) throw new Error(`no agent behaves as ${behaviour}`);
  return found;
}
