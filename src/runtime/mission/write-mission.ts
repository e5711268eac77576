import { evolveMission } from "../../decide/mission/evolve-mission.ts";
import { missionDueAt, missionStatus } from "../../decide/mission/mission-due.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { missionAddress } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import type { Ports } from "../ports.ts";

interface Writing {
  readonly events: readonly RunEvent[];
  readonly epoch: number;
  readonly at: number;
}

/**
 * One append to the journal of a mission, under a lease that is held for it. Answers how the mission stands after it;
 * null where somebody else wrote at the same moment: then nothing was written.
 */
export async function writeMission(
  { journal, world }: Pick<Ports, "journal" | "world">,
  before: MissionState,
  { events, epoch, at }: Writing,
): Promise<MissionState | null> {
  const after = structuredClone(before);
  for (const event of events) evolveMission(after, event, { seq: after.seq + 1, at });
  const dueAt = missionDueAt(after, at);
  world.crashPoint("mission.append.before");
  const outcome = await journal.append({
    run: missionAddress(before.name),
    expected: before.seq,
    epoch,
    at,
    events,
    listing: {
      status: missionStatus(after),
      goal: Object.keys(after.goals).join(", "),
      wakeAt: dueAt === Infinity ? null : Math.ceil(dueAt),
    },
  });
  world.crashPoint("mission.append.after");
  return outcome.kind === "appended" ? after : null;
}
