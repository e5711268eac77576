import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { STORE_RESOURCE } from "../../model/host/resource-address.ts";
import { publishToResource } from "./shared-resources.ts";
import { dropAsked, dropChecks } from "../gate/decide-checks.ts";
import { dropTriage } from "../ladder/decide-triage.ts";
import { isStoreStopped, notIn, storeStopOf, storeHold } from "./store-hold.ts";
import { suspendAttempt } from "../attempt/quarantine.ts";

/**
 * What holds for all runs of a store (`stop --all`, `budget.day`) suspends the sessions of this one. A session that
 * lived when the store was stopped is suspended also by an owner that learns of the stop only after the start: it may
 * have been ended from outside meanwhile, which is not its step's fault.
 */
export function storeRule(state: RunState, now: number): RunEvent[] {
  if (isEnded(state.status)) return [];
  const hold = storeHold(state, now);
  const stopped = storeStopOf(state);
  const braked = Object.values(state.attempts).filter(
    (attempt) =>
      isSession(state, attempt) && (hold !== null || attempt.startedAt <= (stopped?.at ?? -Infinity)),
  );
  if (braked.length > 0)
    return braked.map((attempt) => suspendAttempt(attempt, hold?.why ?? "the store was stopped"));
  const dropped = hold === null ? [] : dropOthers(state, hold.why);
  return dropped.length > 0 ? dropped : reportDay(state, now);
}

/** Sessions that no attempt is about; checks only where nothing at all may work. */
const dropOthers = (state: RunState, why: string): RunEvent[] =>
  isStoreStopped(state) ? [...dropChecks(state), ...dropTriage(state, why)] : dropAsked(state, why);

/** A person's own work has no session, and what has ended or is being ended needs no end. */
const isSession = ({ agents }: RunState, { agent, ending, exit, endedAt }: AttemptState): boolean =>
  ending === null && exit === null && endedAt === null && agents[agent]?.use !== "manual";

/** Smaller amounts are reported together. */
const REPORTED_PCT = 1;
const REPORT_EVERY_MS = 10_000;

/** Reports what the run has spent today: in steps of a hundredth of the budget, and what is left after a while. */
function reportDay(state: RunState, now: number): RunEvent[] {
  if (now < reportDueAt(state, now)) return [];
  const used = notIn(state, "reported", state.today.day);
  const fact = { kind: "spent", attempt: "", until: null } as const;
  const text = `$${used.usd.toFixed(4)}, ${String(used.tokens)} tokens`;
  return [
    publishToResource(state, STORE_RESOURCE, { ...fact, text, used: { day: state.today.day, ...used } }),
  ];
}

/** When what was spent is to be reported; Infinity while there is nothing to report. */
export function reportDueAt(state: RunState, now: number): number {
  const budget = state.sharedResources[STORE_RESOURCE]?.news.day?.budget;
  if (budget === undefined || isReporting(state)) return Infinity;
  const { usd, tokens } = notIn(state, "reported", state.today.day);
  if (usd <= 0 && tokens <= 0) return Infinity;
  const isMuch =
    usd >= ((budget.usd ?? Infinity) * REPORTED_PCT) / 100 ||
    tokens >= ((budget.tokens ?? Infinity) * REPORTED_PCT) / 100;
  const isIdle = Object.keys(state.attempts).length === 0;
  return isMuch || isIdle ? now : state.today.reportedAt + REPORT_EVERY_MS;
}

const isReporting = ({ effects }: RunState): boolean =>
  Object.values(effects).some((effect) => effect.kind === "TellGround" && effect.ground === STORE_RESOURCE);

/** When a session that is live, or a start that is held, has to be looked at because of the store. */
export function storeDueAt(state: RunState, now: number): number {
  const until = storeHold(state, now)?.until ?? Infinity;
  return Math.min(until, reportDueAt(state, now));
}
