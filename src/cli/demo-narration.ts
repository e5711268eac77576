import type { Recorded } from "../model/events.ts";

/** What the demo says about an event for somebody who sees such things for the first time. */
export function narrate(event: Recorded): string[] {
  switch (event.type) {
    case "RunClaimed":
      return [
        "the agent was never disturbed: what it said meanwhile is read now, once, and its work goes on",
      ];
    case "HealthChanged":
      return event.data.state === "stuck"
        ? [
            "the agent lives and talks, and gets nowhere: that is noticed by what it does; the lightest remedy first",
          ]
        : [];
    case "RemedyJudged":
      return event.data.outcome === "not_applicable" && event.data.remedy === "nudge"
        ? ["this agent cannot be told anything while it works, so the next remedy is a restart"]
        : [];
    case "RemedyTaken":
      return event.data.remedy === "restart"
        ? ["its session is started again, with a word about why; that is not charged to the step"]
        : [];
    case "StepRetryScheduled":
      return event.data.limit === undefined
        ? []
        : ["a limit is waited out, not fought; the run goes on by itself when it is over"];
    case "RunCompleted":
      return ["home"];
    default:
      return [];
  }
}
