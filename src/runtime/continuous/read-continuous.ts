import { isAtWork } from "../../decide/continuous/continuous-due.ts";
import { evolveContinuous, newContinuous } from "../../decide/continuous/evolve-continuous.ts";
import type { Journal } from "../../journal/journal.ts";
import { continuousAddress, continuousName } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import type { Ports } from "../ports.ts";
import { foldShared, listShared, OPEN_STATUSES } from "./shared-journal.ts";

/** Folds a session from its journal, or from a copy that may lag behind; one that was never begun is as new. */
export const readContinuous = (
  journal: Pick<Journal, "read">,
  name: string,
  from: ContinuousState = newContinuous(name),
): Promise<ContinuousState> =>
  foldShared(journal, { address: continuousAddress(name), from }, (state, event) =>
    evolveContinuous(state, event, event),
  );

/** The names of all sessions of a store, newest first, or of those in one of the statuses. */
export const listContinuous = (
  journal: Pick<Journal, "runs">,
  statuses?: readonly RunStatus[],
): Promise<string[]> => listShared(journal, continuousName, statuses);

/** Whether a supervisor on its way out leaves a continuous session that goes on by itself. */
export async function isSessionAtWork({
  journal,
  world,
}: Pick<Ports, "journal" | "world">): Promise<boolean> {
  for (const name of await listContinuous(journal, ["running"]))
    if (isAtWork(await readContinuous(journal, name), world.now())) return true;
  return false;
}

/** Null for a session that there never was. */
export async function loadContinuous(journal: Journal, name: string): Promise<ContinuousState | null> {
  const state = await readContinuous(journal, name);
  return state.spec === null ? null : state;
}

/** Of the sessions that are not over, newest first. */
export const openContinuous = (journal: Journal): Promise<string[]> => listContinuous(journal, OPEN_STATUSES);
