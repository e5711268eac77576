import type { System } from "../main.ts";
import { errorText } from "../model/fault.ts";
import type { RunState } from "../model/run-state.ts";
import { ensureSupervisor, workerText } from "./detached-supervisor.ts";
import type { Invocation } from "./invocation.ts";

/** Nothing of the run is left to do but to tell people about it. */
export const onlyTells = ({ status, attempts, effects, notices }: Readonly<RunState>): boolean =>
  (status === "blocked" || status === "awaiting_approval") &&
  Object.keys(attempts).length === 0 &&
  Object.values(effects).every(({ kind }) => kind === "Notify") &&
  Object.keys(notices).length > 0;

/** A person in front need not wait for a receiver that is away: a supervisor in the background goes on telling. */
export async function tellLater(call: Invocation, system: System, state: Readonly<RunState>): Promise<void> {
  const left = Object.keys(state.notices).length;
  if (left === 0) return;
  const what = left === 1 ? "1 notice is" : `${String(left)} notices are`;
  try {
    const supervisor = await ensureSupervisor(call, system);
    call.output.line(`${what} still to be delivered; ${workerText(supervisor)}`);
  } catch (error) {
    call.output.note(
      `holdfast: ${what} still to be delivered, by the next supervisor (${call.command("up")}): ${errorText(error)}`,
    );
  }
}
