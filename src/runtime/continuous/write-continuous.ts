import { continuousDueAt, continuousStatus } from "../../decide/continuous/continuous-due.ts";
import { evolveContinuous } from "../../decide/continuous/evolve-continuous.ts";
import { continuousAddress } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Ports } from "../ports.ts";

/**
 * One append to the journal of a session, under a lease that is held for it. Answers how the session stands after it;
 * null where somebody else wrote at the same moment: then nothing was written.
 */
export async function writeContinuous(
  { journal, world }: Pick<Ports, "journal" | "world">,
  before: ContinuousState,
  {
    events,
    epoch,
    at,
  }: { readonly events: readonly RunEvent[]; readonly epoch: number; readonly at: number },
): Promise<ContinuousState | null> {
  const after = structuredClone(before);
  for (const event of events) evolveContinuous(after, event, { seq: after.seq + 1, at });
  const dueAt = continuousDueAt(after, at);
  world.crashPoint("continuous.append.before");
  const outcome = await journal.append({
    run: continuousAddress(before.name),
    expected: before.seq,
    epoch,
    at,
    events,
    listing: {
      status: continuousStatus(after),
      goal:
        after.spec?.intake.kind === "command" ? after.spec.intake.command : (after.spec?.intake.path ?? ""),
      wakeAt: dueAt === Infinity ? null : Math.ceil(dueAt),
    },
  });
  world.crashPoint("continuous.append.after");
  return outcome.kind === "appended" ? after : null;
}
