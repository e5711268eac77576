import type { Ghost, RunWaits } from "../../model/continuous/continuous-events.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { DayUsed } from "../../model/host/store-resource.ts";
import type { AgentBudget, Spent } from "../../model/requests/budget.ts";
import type { BlockedReason } from "../../model/requests/blocked.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { alikeKey } from "../../model/text/text-key.ts";
import { PAUSED } from "./goal-runs.ts";
import { lastWordIn } from "./plan-answer.ts";
import { spentOfRun } from "../budget/run-budget.ts";
import { recoveryArguments } from "../recovery/recovery.ts";
import { WAKING_STOPS } from "../recovery/state-table.ts";

/** What a session reads of one of its runs. */
export interface ChildFact {
  readonly run: string;
  readonly status: RunStatus;
  readonly spent: Spent;
  readonly days: readonly DayUsed[];
  /** What it may spend as its own journal says. */
  readonly budget: AgentBudget;
  readonly waits: RunWaits | null;
  readonly ghost: Ghost | null;
  readonly failure: string | null;
  /** What a planner said last, once it is done. */
  readonly answer?: { readonly said: unknown };
}

/** Days of which a session keeps what was used: a run that works across midnight has used something on two. */
const DAYS_KEPT = 3;

/** Whether its whole journal is to be read, and not its state alone. */
export const isRead = (state: RunState, isPlan: boolean): boolean =>
  mayBeGhost(state) || (isPlan && state.status === "completed");

/** `events`: the whole journal of a run that is read; empty for others. */
export function childFact(
  state: RunState,
  events: readonly Recorded[],
  { now, isPlan }: { readonly now: number; readonly isPlan: boolean },
): ChildFact {
  const { day, usd, tokens } = state.today;
  const today = usd > 0 || tokens > 0 ? [{ day, usd, tokens }] : [];
  return {
    run: state.run,
    status: state.status,
    spent: spentOfRun(state, now),
    days: [...state.days.filter((used) => used.day !== day), ...today].slice(-DAYS_KEPT),
    budget: state.budget,
    waits: waitsOf(state),
    ghost: mayBeGhost(state) ? ghostIn(events) : null,
    failure: state.failure?.text ?? null,
    ...(isPlan && state.status === "completed" ? { answer: { said: lastWordIn(events) } } : {}),
  };
}

function waitsOf(state: RunState): RunWaits | null {
  const { status, blocked, stop } = state;
  if (blocked !== null && (status === "blocked" || status === "awaiting_approval"))
    return { reason: blocked.reason, detail: blocked.detail, command: recoveryArguments(state, blocked) };
  if (status !== "paused" || (stop !== null && WAKING_STOPS.includes(stop))) return null;
  return {
    reason: PAUSED,
    detail: `the run is paused (${stop ?? "operator"})`,
    command: ["resume", state.run],
  };
}

/** Blocks with which a run ends that could not be started, or failed each time. */
const START_BLOCKS: readonly BlockedReason[] = ["retries_exhausted", "dispatch_error", "crash_loop"];

/** Whether its journal is worth a look: it has come to nothing, and no model was used. */
const mayBeGhost = ({ status, blocked, spent }: RunState): boolean =>
  spent.tokens === 0 &&
  spent.usd === 0 &&
  (status === "failed" || (status === "blocked" && START_BLOCKS.includes(blocked?.reason ?? "unknown")));

/** Signals that show an agent at work. */
const SHOWS: ReadonlySet<string> = new Set([
  ...["tool_call", "tool_result", "message", "usage", "permission", "question", "speaking", "progress"],
  ...["result", "context", "condensed", "blocked"],
]);

/** A start that showed nothing, with what was seen of it; null where an agent was at work. */
function ghostIn(events: readonly Recorded[]): Ghost | null {
  let attempts = 0;
  let text = "it ended without an attempt";
  let isCharged = false;
  for (const event of events) {
    if (event.type === "StepSucceeded") return null;
    if (event.type === "SignalsHeard" && event.data.signals.some(({ kind }) => SHOWS.has(kind))) return null;
    if (event.type === "AttemptStarted") attempts += 1;
    // What an attempt died with that is not held against it says nothing of the start.
    if (event.type === "AttemptEnded" && (event.data.charged || !isCharged)) {
      text = `${event.data.outcome}: ${event.data.why}`;
      isCharged = event.data.charged;
    }
    if (event.type === "RunBlocked" && attempts === 0) text = `blocked: ${event.data.blocked.detail}`;
  }
  return { fingerprint: alikeKey(text), text: text.slice(0, TEXT_CHARS_MAX), attempts };
}

const TEXT_CHARS_MAX = 1_000;
