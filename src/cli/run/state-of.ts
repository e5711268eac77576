import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { runAtHand } from "./find-run.ts";

/** The state of the run that a person has named, by its id or the beginning of it, or of the one at hand. */
export async function stateOf(system: System, text: string | undefined): Promise<RunState> {
  const run = await runAtHand(system.ports.journal, text);
  const state = await system.loadRun(run);
  if (state === null) throw new Fault("not_found", `there is no run "${run}"`);
  return state;
}
