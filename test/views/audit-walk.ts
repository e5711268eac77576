import { EVENT_KINDS } from "../../src/views/text/event-kinds.ts";
import { causesOf } from "../../src/views/why/why-causes.ts";
import { WhyJournal } from "../../src/views/why/why-journal.ts";
import type { EventType, Recorded } from "../../src/model/events/events.ts";

interface Walked {
  /** Gaps, and causes that are not before what they lead to. */
  readonly wrong: string[];
  /** Decisions that were walked back from. */
  readonly decisions: number;
  readonly types: ReadonlySet<EventType>;
}

/**
 * Walks back from every decision of a journal. Each cause is an event of it and lies before its effect, so every walk
 * gets further back with every step: it ends at a request or at something that was seen, or there is a gap.
 */
export function walkBack(events: readonly Recorded[]): Walked {
  const journal = new WhyJournal(events);
  const wrong: string[] = [];
  const types = new Set<EventType>();
  let decisions = 0;
  for (const event of events) {
    types.add(event.type);
    const causes = causesOf(event, journal);
    for (const cause of causes) {
      if (events[cause.seq - 1] !== cause) wrong.push(`${nameOf(event)}: ${nameOf(cause)} is no event`);
      if (cause.seq >= event.seq) wrong.push(`${nameOf(event)} comes before its cause ${nameOf(cause)}`);
    }
    const kind = EVENT_KINDS[event.type];
    if (kind !== "decision" && kind !== "intent") continue;
    decisions += 1;
    if (causes.length === 0) wrong.push(`${nameOf(event)} has no cause`);
  }
  return { wrong, decisions, types };
}

const nameOf = ({ run, seq, type, data }: Recorded): string =>
  `${run}/${String(seq)} ${type} ${JSON.stringify(data).slice(0, 200)}`;
