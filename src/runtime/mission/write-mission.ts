import { evolveMission } from "../../decide/mission/evolve-mission.ts";
import { missionDueAt, missionStatus } from "../../decide/mission/mission-due.ts";
import { missionAddress } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import { writeShared, type SharedWrite } from "../continuous/write-shared.ts";
import type { Ports } from "../ports.ts";

/** One append to the journal of a mission: see `writeShared`. */
export const writeMission = (
  { journal, world }: Pick<Ports, "journal" | "world">,
  before: MissionState,
  write: SharedWrite,
): Promise<MissionState | null> =>
  writeShared(journal, before, {
    ...write,
    address: missionAddress(before.name),
    evolve: evolveMission,
    listing: (after) => ({
      status: missionStatus(after),
      goal: Object.keys(after.goals).join(", "),
      dueAt: missionDueAt(after, write.at),
    }),
    before: () => world.crashPoint("mission.append.before"),
    after: () => world.crashPoint("mission.append.after"),
  });
