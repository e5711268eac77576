import type { RunEvent } from "../../src/model/events/events.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

/** Bugs around the remedies for stuck agents. */
export const LADDER_BUGS = {
  /** A remedy is taken again although nobody knows yet what became of it. */
  remedyTakenTwice: (ports) =>
    withJudge(ports, (events) =>
      events.flatMap((event): RunEvent[] => (event.type === "RemedyTaken" ? [event, event] : [event])),
    ),
  /** The first thing that is done about a stuck agent is to end it. */
  remedySkipped: (ports) =>
    withJudge(ports, (events) =>
      events.flatMap((event): RunEvent[] => {
        if (event.type !== "RemedyTaken" || event.data.remedy !== "warn") return [event];
        const { attempt } = event.data;
        return [
          { type: "RemedyTaken", data: { ...event.data, remedy: "restart" } },
          { type: "AttemptEnding", data: { attempt, to: "stuck", why: "at once" } },
        ];
      }),
    ),
  /** How far the remedies had come is forgotten, and they begin with the lightest again. */
  remedyStartsOver: (ports) =>
    withJudge(ports, (events) =>
      events.some((event) => event.type === "RemedyTaken" && event.data.remedy === "restart")
        ? events
            .filter(({ type }) => type !== "AttemptEnding" && type !== "StepAdvised")
            .map((event) =>
              event.type === "RemedyTaken"
                ? { type: "RemedyTaken", data: { ...event.data, remedy: "warn" } }
                : event,
            )
        : events,
    ),
} satisfies Record<string, InjectedBug>;
