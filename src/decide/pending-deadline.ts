import type { RunState } from "../model/run-state.ts";
import { unansweredAt } from "./climb.ts";
import { nextDeadline } from "./deadlines.ts";
import { wakesByItself } from "./decide.ts";
import { alarmDueAt } from "./judge-alarms.ts";
import { channelsOf, reminderAt } from "./judge-escalations.ts";
import { expiresAt } from "./judge-gates.ts";
import { staleResumeAt } from "./judge-stale.ts";
import { suspendAt } from "./suspend.ts";

/** Something that a run has to do at a known time, although nobody asks. */
export interface PendingDeadline {
  readonly at: number;
  /** What is due then, as the end of "nobody will act on". */
  readonly what: string;
}

/** The next deadline of a run, by name; null where nothing happens before somebody asks. */
export function pendingDeadline(state: RunState, now: number): PendingDeadline | null {
  if (wakesByItself(state)) return { at: now, what: "the run, which goes on with the next supervisor" };
  const named = candidates(state, now);
  // What is overdue has not been acted on, since it would be gone otherwise; the next deadline leaves it out.
  const [first] = named;
  if (first !== undefined && first.at <= now) return first;
  const at = nextDeadline(state, now);
  if (at === null) return null;
  return { at, what: named.find((one) => one.at <= at)?.what ?? "what it has to do by itself" };
}

/** By time, the first one first. */
function candidates(state: RunState, now: number): PendingDeadline[] {
  const reminders = channelsOf(state).length === 0 ? [] : Object.values(state.escalations);
  return [
    { at: expiresAt(state), what: `the expiry of the approval of ${state.blocked?.gate ?? "a gate"}` },
    { at: alarmDueAt(state), what: "an alarm" },
    ...Object.values(state.attempts).map((attempt) => ({
      at: suspendAt(state, attempt) ?? Infinity,
      what: `the suspension of ${attempt.id}`,
    })),
    { at: staleResumeAt(state) ?? Infinity, what: "the resume after a silent provider" },
    { at: unansweredAt(state) ?? Infinity, what: "a question that an operator has not answered" },
    ...Object.values(state.notices).map(({ notice, notBefore }) => ({
      at: notBefore,
      what: `the delivery of notice ${notice.id}`,
    })),
    ...reminders.map((escalation) => ({
      at: reminderAt(state, escalation),
      what: `the reminder of ${escalation.id}`,
    })),
    ...Object.values(state.steps).flatMap(({ spec, notBefore }) =>
      notBefore === null || notBefore <= now
        ? []
        : [{ at: notBefore, what: `the next attempt of step ${spec.name}` }],
    ),
  ].sort((one, other) => one.at - other.at);
}
