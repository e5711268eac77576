import { isSettled } from "../../model/agent/ladder.ts";
import type { Causes, RecordedOf, WhyJournal } from "./why-journal.ts";

/** The lighter remedy that did not help, or could not be done, before this one; what helped ended its own story. */
function triedBefore(
  event: RecordedOf<"RemedyTaken"> | RecordedOf<"RemedyJudged">,
  journal: WhyJournal,
): RecordedOf<"RemedyJudged"> | undefined {
  const decided = journal.last("RemedyJudged", event, ({ data }) => data.step === event.data.step);
  return decided !== undefined && isSettled(decided.data.outcome) ? undefined : decided;
}

/** The story of an incident: each remedy follows from what was seen, and from the lighter ones that did not help. */
export const remedyCauses: Causes = {
  RemedyTaken: (event, journal) => [
    triedBefore(event, journal),
    journal.last("HealthChanged", event, ({ data }) => data.attempt === event.data.attempt),
  ],
  ExpertTried: (event, journal) => [
    journal.last("StepChecked", event, ({ data }) => data.step === event.data.step) ??
      journal.last("AttemptEnded", event, ({ data }) => data.attempt === event.data.attempt),
  ],
  TriageJudged: (event, journal) => [
    journal.last("HealthChanged", event, ({ data }) => data.attempt === event.data.attempt),
  ],
  RemedyJudged: (event, journal) => {
    const taken = journal.last("RemedyTaken", event, ({ data }) => data.step === event.data.step);
    const tried = triedBefore(event, journal);
    // Of several that could not be done at once, each follows from the one before.
    const latest = tried !== undefined && tried.seq > (taken?.seq ?? 0) ? tried : taken;
    return [latest ?? journal.last("HealthChanged", event)];
  },
};
