import type { EventType, Recorded } from "../model/events.ts";
import { isoTime } from "../model/iso-time.ts";
import { tellEvent } from "./tell-event.ts";

/** Events that change where a run stands; the rest is detail. */
const TURNING_POINTS: ReadonlySet<EventType> = new Set<EventType>([
  "RunCreated",
  "RunClaimed",
  "RequestHeard",
  "RequestAnswered",
  "RunStopping",
  "RunPaused",
  "RunResumed",
  "RunBlocked",
  "RunUnblocked",
  "RunCompleted",
  "RunFailed",
  "RunCancelled",
  "RunReopened",
  "AttemptStarted",
  "AttemptEnded",
  "StepSucceeded",
  "StepRetryScheduled",
  "StepFailed",
  "StepReset",
]);

export interface WhyLine {
  readonly seq: number;
  readonly at: string;
  readonly text: string;
}

/** The chain of turning points up to the state asked about, in plain words, oldest first. */
export const whyView = (events: readonly Recorded[]): WhyLine[] =>
  events
    .filter((event) => TURNING_POINTS.has(event.type))
    .map((event) => ({
      seq: event.seq,
      at: isoTime(event.at),
      text: tellEvent(event),
    }));
