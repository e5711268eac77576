import { continuousStatus } from "../../decide/continuous/continuous-due.ts";
import { goalsOf, issuedGoals, leftOver } from "../../decide/continuous/goal-runs.ts";
import { intakeDueAt, isIdle } from "../../decide/continuous/intake-rule.ts";
import { issueDueAt, whyHeld } from "../../decide/continuous/issue-rule.ts";
import { triggerDueAt } from "../../decide/continuous/trigger-rule.ts";
import { blockingRuns } from "../../decide/continuous/raise-rule.ts";
import { sessionSpent } from "../../decide/continuous/session-room.ts";
import { GOAL_ENDS, type Ghost, type GoalEndKind } from "../../model/continuous/continuous-events.ts";
import type { ContinuousBudget, SpentAmounts } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState, GoalRun, GoalState } from "../../model/continuous/continuous-state.ts";
import { dayOf } from "../../model/text/utc-day.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { intakeText } from "../text/describe-continuous.ts";

type SessionStatus = "running" | "idle" | "paused" | "blocked" | "stopped" | "ended";

interface BlockedBy {
  readonly run: string;
  readonly goal: string;
  readonly reason: string;
  readonly detail: string;
  /** What ends it. */
  readonly command: string;
}

export interface GoalView {
  readonly id: string;
  readonly goal: string;
  readonly priority: number;
  readonly status: "queued" | "at_work" | "waiting" | GoalEndKind;
  readonly run: string | null;
  readonly runStatus: RunStatus | null;
  readonly tries: number;
  /** Not issued again before. */
  readonly notBefore: string | null;
  readonly text: string | null;
  readonly ghosts: readonly Ghost[];
}

export interface ContinuousView {
  readonly session: string;
  readonly status: SessionStatus;
  readonly since: string;
  readonly by: string;
  readonly intake: string;
  /** What ended it, and what is left of the queue. */
  readonly end: string | null;
  readonly text: string | null;
  readonly left: readonly string[];
  readonly blockedBy: readonly BlockedBy[];
  readonly stoppedBy: string | null;
  readonly pausedBy: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly budget: {
    readonly limits: ContinuousBudget;
    readonly spent: SpentAmounts & { readonly runs: number };
    readonly today: SpentAmounts & { readonly runs: number };
  };
  /** When it starts a goal or reads its intake by itself. */
  readonly nextAt: string | null;
  /** How often in a row it has looked for goals while there was nothing to do. */
  readonly idleRounds: number;
  /** Channels that have not taken the last digest, and why. */
  readonly undelivered: readonly { readonly channel: string; readonly text: string }[];
  readonly problems: readonly string[];
  readonly goals: readonly GoalView[];
  /** The command that lets it go on; null while it needs none. */
  readonly command: string | null;
}

/** What people are shown of a session, at a time. */
export function continuousView(state: ContinuousState, now: number, store: string | null): ContinuousView {
  const blockedBy = blockedByOf(state, store);
  const status = statusOf(state);
  const spent = sessionSpent(state, now);
  const runsToday = state.today.day === dayOf(now) ? state.today.runs : 0;
  const goals = goalsOf(state).map(goalView);
  return {
    session: state.name,
    status,
    since: isoTime(state.begunAt),
    by: state.by,
    intake: state.spec === null ? "" : intakeText(state.spec.intake),
    end: state.end?.kind ?? null,
    text: state.end?.text ?? null,
    left: state.end?.left ?? leftOver(state),
    blockedBy,
    stoppedBy: state.stop?.by ?? null,
    pausedBy: state.pause?.by ?? null,
    counts: countsOf(goals),
    budget: {
      limits: state.spec?.budget ?? {},
      spent: { ...spent.total, runs: state.runs },
      today: { ...spent.day, runs: runsToday },
    },
    nextAt: nextAtOf(state, now),
    idleRounds: state.intake.idleRounds,
    undelivered: state.digest.undelivered,
    problems: state.intake.problems,
    goals,
    command: commandOf(state, { status, blockedBy }, store),
  };
}

function statusOf(state: ContinuousState): SessionStatus {
  if (state.end !== null) return "ended";
  if (state.stop !== null) return "stopped";
  const listed = continuousStatus(state);
  if (listed === "blocked" || listed === "paused") return listed;
  return isIdle(state) ? "idle" : "running";
}

function blockedByOf(state: ContinuousState, store: string | null): BlockedBy[] {
  if (state.end !== null) return [];
  const blocking = new Set(blockingRuns(state).map(({ run }) => run));
  return issuedGoals(state).flatMap(({ goal, run }): BlockedBy[] => {
    const { waits } = run;
    if (waits === null || !blocking.has(run.run)) return [];
    const { reason, detail, command } = waits;
    return [{ run: run.run, goal: goal.goal.id, reason, detail, command: commandText(command, store) }];
  });
}

function goalView({ goal, status, runs, ghosts, notBefore, end }: GoalState): GoalView {
  const run = runs.at(-1);
  return {
    id: goal.id,
    goal: goal.goal,
    priority: goal.priority,
    status: end?.kind ?? (status === "issued" ? workOf(run) : "queued"),
    run: run?.run ?? null,
    runStatus: run?.status ?? null,
    tries: runs.length,
    notBefore: status === "queued" && notBefore > 0 ? isoTime(notBefore) : null,
    text: end?.text ?? run?.waits?.detail ?? null,
    ghosts,
  };
}

const workOf = (run: GoalRun | undefined): "at_work" | "waiting" =>
  run === undefined || run.waits === null ? "at_work" : "waiting";

function countsOf(goals: readonly GoalView[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of ["queued", "at_work", "waiting", ...GOAL_ENDS]) {
    const count = goals.filter(({ status }) => status === name).length;
    if (count > 0) counts[name] = count;
  }
  return counts;
}

function nextAtOf(state: ContinuousState, now: number): string | null {
  if (whyHeld(state, now) === "places") return null;
  const at = Math.min(intakeDueAt(state, now), issueDueAt(state, now), triggerDueAt(state, now));
  return at === Infinity ? null : isoTime(Math.max(at, now));
}

function commandOf(
  { name }: ContinuousState,
  { status, blockedBy }: { readonly status: SessionStatus; readonly blockedBy: readonly BlockedBy[] },
  store: string | null,
): string | null {
  if (blockedBy[0] !== undefined) return blockedBy[0].command;
  return status === "paused" || status === "stopped"
    ? commandText(["continuous", "resume", name], store)
    : null;
}
