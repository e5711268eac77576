import type { RunState } from "../model/state/run-state.ts";
import { guardsAfterPerson } from "./gate/evolve-guard.ts";
import { passHooks } from "./gate/evolve-hook.ts";
import { passPolicies } from "./gate/evolve-policy.ts";
import { sealsAfterPerson } from "./gate/evolve-seal.ts";
import { gatesAfterPerson } from "./gate/gates.ts";
import { getsOn } from "./step/note-progress.ts";
import { placeAfterPerson } from "./workspace/evolve-workspace.ts";
import { allMoved } from "./workspace/workspace-place.ts";

/** What each topic makes of a person's word, by name. */
export const AFTER_PERSON = {
  guards: guardsAfterPerson,
  seals: sealsAfterPerson,
  gates: gatesAfterPerson,
  workspace: placeAfterPerson,
  policies: passPolicies,
  hooks: passHooks,
  progress: getsOn,
  files: allMoved,
  checkpoints(state: RunState): void {
    state.keepFailures = 0;
  },
} as const satisfies Readonly<Record<string, (state: RunState) => void>>;

export type AfterPerson = Readonly<Record<string, (state: RunState) => void>>;

/** Somebody had a say, and may have changed files: what waits for them is looked at and tried again. */
export function afterPerson(state: RunState, topics: AfterPerson = AFTER_PERSON): void {
  for (const topic of Object.values(topics)) topic(state);
}
