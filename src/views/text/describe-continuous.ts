import type { EventData } from "../../model/events/events.ts";
import type { Intake, Spending, SpendingKind } from "../../model/continuous/continuous-spec.ts";
import { durationText } from "../../model/text/duration.ts";
import { isoTime } from "../../model/text/iso-time.ts";

/** `the file goals.yaml`. */
export const intakeText = (intake: Intake): string =>
  `the ${intake.kind} ${intake.kind === "command" ? intake.command : intake.path}`;

/** `$2.50, 40000 tokens, 1h`; "no limit" where nothing is limited. */
function spendingText(spending: Spending): string {
  const parts = (Object.keys(AMOUNTS) as SpendingKind[]).flatMap((kind) => {
    const amount = spending[kind];
    return amount === undefined ? [] : [AMOUNTS[kind](amount)];
  });
  return parts.length === 0 ? "no limit" : parts.join(", ");
}

const AMOUNTS = {
  usd: (usd: number): string => `$${usd.toFixed(2)}`,
  tokens: (tokens: number): string => `${String(tokens)} tokens`,
  timeMs: (ms: number): string => durationText(ms),
} as const satisfies Record<SpendingKind, unknown>;

/** Descriptions of the events of continuous sessions. */
export const DESCRIBE_CONTINUOUS = {
  ContinuousBegun: ({ by, spec }: EventData<"ContinuousBegun">): string =>
    `session begun by ${by}: goals from ${intakeText(spec.intake)}`,
  IntakeRead: ({ goals, problems, idle }: EventData<"IntakeRead">): string =>
    `${String(goals.length)} new goals${goals.length === 0 ? "" : ` (${goals.map(({ id }) => id).join(", ")})`}${idle && goals.length === 0 ? "; the session is idle" : ""}${problems.length === 0 ? "" : `; ${problems.join("; ")}`}`,
  GoalTriggered: ({ trigger, goal, dueAt }: EventData<"GoalTriggered">): string =>
    `the time of ${trigger} has come (${isoTime(dueAt)}): ${goal} is queued`,
  PlanWanted: ({ goal }: EventData<"PlanWanted">): string =>
    `nothing is left to do, and something has changed: ${goal} asks a planner`,
  PlanAnswered: ({ goal, goals }: EventData<"PlanAnswered">): string =>
    `${goal}: the planner names ${goals.length === 0 ? "no goal" : goals.map(({ id }) => id).join(", ")}`,
  GoalIssued: ({ goal, run, allowance }: EventData<"GoalIssued">): string =>
    `goal ${goal} is given to ${run} (${spendingText(allowance)})`,
  GoalSeen: ({ goal, run, status, spent, waits }: EventData<"GoalSeen">): string =>
    `goal ${goal}: ${run} is ${status}, $${spent.usd.toFixed(2)} and ${String(spent.tokens)} tokens spent${waits === undefined ? "" : `; it waits: ${waits.detail}`}`,
  GoalReturned: ({ goal, ghost, notBefore }: EventData<"GoalReturned">): string =>
    `goal ${goal} showed nothing (${ghost.text}): it is issued again at ${isoTime(notBefore)}`,
  AllowanceRaised: ({ goal, run, allowance }: EventData<"AllowanceRaised">): string =>
    `goal ${goal}: ${run} may spend ${spendingText(allowance)} now`,
  GoalEnded: ({ goal, end, text }: EventData<"GoalEnded">): string => `goal ${goal} ended as ${end}: ${text}`,
  RunsAsked: ({ what, runs }: EventData<"RunsAsked">): string => `${what} is sent to ${runs.join(", ")}`,
  DigestQueued: ({ day, channels }: EventData<"DigestQueued">): string =>
    `the digest of ${day} is sent by ${channels.join(", ")}`,
  DigestTried: ({ channel, delivered, text, notBefore }: EventData<"DigestTried">): string =>
    delivered
      ? `the digest was taken by ${channel}`
      : `${channel} did not take the digest (${text}): ${notBefore === undefined ? "it is not sent again" : `it is sent again at ${isoTime(notBefore)}`}`,
  ContinuousPaused: ({ why, by = "somebody", run = "a run" }: EventData<"ContinuousPaused">): string =>
    why === "blocked" ? `the session is paused: blocked by ${run}` : `the session was paused by ${by}`,
  ContinuousResumed: ({ why, by = "somebody" }: EventData<"ContinuousResumed">): string =>
    why === "unblocked"
      ? "the session goes on: nothing blocks it any more"
      : `the session was resumed by ${by}`,
  ContinuousStopped: ({ by }: EventData<"ContinuousStopped">): string =>
    `stopped by ${by}: nothing starts, and runs at work are paused`,
  ContinuousEnded: ({ end, text, left }: EventData<"ContinuousEnded">): string =>
    `the session ended as ${end}: ${text}${left.length === 0 ? "" : `; left: ${left.join(", ")}`}`,
};
