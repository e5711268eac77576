import type { System } from "../main.ts";
import { Fault } from "../model/fault.ts";
import type { RunState } from "../model/run-state.ts";
import { findRun } from "./find-run.ts";

/** The state of the run that a person has named, by its id or the beginning of it. */
export async function stateOf(system: System, text: string): Promise<RunState> {
  const run = await findRun(system.rooms.journal, text);
  const state = await system.loadRun(run);
  if (state === null) throw new Fault("not_found", `there is no run "${run}"`);
  return state;
}
