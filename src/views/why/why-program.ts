import type { Recorded } from "../../model/events/events.ts";
import type { Causes, WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;
const created = (event: Recorded, journal: WhyJournal): Found => journal.last("BodyCreated", event);

/** The causes of what a workflow function asked for: a signal, its own intent, or that it was begun. */
export const programCauses: Causes = {
  BodyStepIntended: (event, journal) => [created(event, journal)],
  BodyStepEnded: (event, journal) => [
    journal.last("BodyStepIntended", event, ({ data }) => data.key === event.data.key) ??
      created(event, journal),
  ],
  BodyStepTried: (event, journal) => [
    journal.last("BodyStepTried", event, ({ data }) => data.key === event.data.key) ??
      created(event, journal),
  ],
  BodyStepCleared: (event, journal) => [journal.askedBy(event)],
  BodySlept: (event, journal) => [created(event, journal)],
  BodyWaited: (event, journal) => [created(event, journal)],
  BodyWaitEnded: (event, journal) => {
    const waited = journal.last("BodyWaited", event, ({ data }) => data.key === event.data.key);
    const signal = event.data.timedOut
      ? undefined
      : journal.last("BodySignalled", event, ({ data }) => data.name === waited?.data.name);
    return [waited, signal];
  },
  BodySignalled: (event, journal) => [journal.askedBy(event)],
  BodySpawned: (event, journal) => [created(event, journal)],
  BodyChildEnded: (event, journal) => [
    journal.last("BodySpawned", event, ({ data }) => data.key === event.data.key),
  ],
  BodyLooped: (event, journal) => [
    journal.last("BodyLooped", event, ({ data }) => data.key === event.data.key) ?? created(event, journal),
  ],
  BodySpent: (event, journal) => [created(event, journal)],
  BodyBudgetSet: (event, journal) => [journal.askedBy(event)],
};

/** What a workflow function has done last. */
export function lastOfProgram(event: Recorded, journal: WhyJournal): Found {
  const ends = [
    journal.last("BodyStepEnded", event),
    journal.last("BodyStepIntended", event),
    journal.last("BodyChildEnded", event),
    journal.last("BodyLooped", event),
    journal.last("BodyWaitEnded", event),
    journal.last("BodyCreated", event),
  ];
  return ends.filter((end) => end !== undefined).sort((a, b) => b.seq - a.seq)[0];
}
