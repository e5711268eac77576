import type { Basis } from "./baseline.ts";

/** What the success of a step rests on, for people. */
export const BASIS_WORDS: Readonly<Record<Basis, string>> = {
  red_to_green: "a check that failed before passes now",
  changed: "checks were green before; files were changed",
  nothing_to_do: "checks were green before; nothing changed; the agent says: nothing to do",
  claim: "checks were green before; whether files changed is not known; the agent says that it is done",
  checks: "checks pass; how they were before is not known",
};
