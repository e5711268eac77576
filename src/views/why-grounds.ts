import { isCrash } from "../decide/retry-class.ts";
import { newestOf, type Causes } from "./why-journal.ts";

/** What follows from limits, outages and deaths that several runs share, and from crashes of the run's own. */
export const groundCauses: Causes = {
  GroundHeard: (event, journal) => [
    journal.outcomeOf("TellGround", event, ({ ground }) => ground === event.data.ground),
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
