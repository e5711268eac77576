import { evolveMission, newMission } from "../../decide/mission/evolve-mission.ts";
import type { Journal } from "../../journal/journal.ts";
import { missionAddress, missionName } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { foldShared, listShared } from "../continuous/shared-journal.ts";

/** Folds a mission from its journal, or from a copy that may lag behind; one that was never begun is as new. */
export const readMission = (
  journal: Pick<Journal, "read">,
  name: string,
  from: MissionState = newMission(name),
): Promise<MissionState> =>
  foldShared(journal, { address: missionAddress(name), from }, (state, event) =>
    evolveMission(state, event, event),
  );

/** The names of all missions of a store, newest first, or of those in one of the statuses. */
export const listMissions = (
  journal: Pick<Journal, "runs">,
  statuses?: readonly RunStatus[],
): Promise<string[]> => listShared(journal, missionName, statuses);
