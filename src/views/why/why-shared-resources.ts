import { isCrash } from "../../fold/attempt/class-of-error.ts";
import type { Recorded } from "../../model/events/events.ts";
import { newestOf, type Causes, type WhyJournal } from "./why-journal.ts";

/** What follows from limits, outages and deaths that several runs share, and from crashes of the run's own. */
export const sharedResourceCauses: Causes = {
  GroundHeard: (event, journal) => [
    journal.outcomeOf("TellGround", event, ({ ground: resource }) => resource === event.data.ground),
  ],
  LimitPassed: (event, journal) => [
    newestOf(
      journal.last(
        "StepRetryScheduled",
        event,
        ({ data }) => data.step === event.data.step && data.limit !== undefined,
      ),
      journal.last("HealthChanged", event, ({ data }) => data.attempt === event.data.attempt),
    ),
    journal.last("GroundHeard", event, ({ data }) => data.ground === event.data.ground),
  ],
  AttemptPardoned: (event, journal) => [
    journal.last("GroundHeard", event, ({ data }) => data.news.pardons.includes(event.data.attempt)),
    journal.last("AttemptEnded", event, ({ data }) => data.attempt === event.data.attempt),
  ],
  CrashGuardTripped: (event, journal) => {
    const { crashes, withinMs } = event.data;
    const ended = journal.before(
      "AttemptEnded",
      event,
      ({ at, data }) => isCrash(data) && at >= event.at - withinMs,
    );
    return [...ended].slice(0, crashes);
  },
};

/** How the run came to know of an incident: it was informed, or it learned in answer to its own report. */
export function incidentSeen(
  notice: string,
  event: { readonly seq: number },
  journal: WhyJournal,
): Recorded | undefined {
  const isIt = (id: string | undefined): boolean => id !== undefined && notice.startsWith(`${id}/`);
  return newestOf(
    journal.last("GroundHeard", event, ({ data }) => isIt(data.news.incident?.id)),
    journal.last(
      "EffectSettled",
      event,
      ({ data: { outcome } }) => outcome.kind === "done" && isIt(outcome.news?.incident?.id),
    ),
  );
}
