import type { EventData, EventType, Recorded } from "../../model/events/events.ts";

type Tellers = { readonly [Type in EventType]?: (data: EventData<Type>) => string | null };

const NARRATION: Tellers = {
  RunClaimed: () =>
    "the agent was never disturbed: what it said meanwhile is read now, once, and its work goes on",
  HealthChanged: ({ state }) =>
    state === "stuck"
      ? "the agent lives and talks, and gets nowhere: that is noticed by what it does; the lightest remedy first"
      : null,
  RemedyJudged: ({ remedy, outcome }) =>
    remedy === "nudge" && outcome === "not_applicable"
      ? "this agent does not accept messages while it works, so the next remedy is a restart"
      : null,
  RemedyTaken: ({ remedy }) =>
    remedy === "restart"
      ? "its session is started again, with a word about why; that is not charged to the step"
      : null,
  StepRetryScheduled: ({ limit }) =>
    limit === undefined
      ? null
      : "a limit is waited out, not fought; the run goes on by itself when it is over",
  RunCompleted: () => "home",
};

/** What the demo says about an event for somebody who sees such things for the first time. */
export function narrate({ type, data }: Recorded): string | null {
  // The table pairs every type with its own teller, which the compiler cannot follow through an index.
  const teller = NARRATION[type] as ((data: unknown) => string | null) | undefined;
  return teller?.(data) ?? null;
}
