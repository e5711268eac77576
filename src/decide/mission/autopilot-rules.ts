import { spentBudget } from "../continuous/session-room.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AutopilotStop } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { heldBarriers } from "./barriers.ts";
import { launchEvents, placesTaken, whyNoLaunch } from "./launch.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { unsafeRetry } from "./retry-safety.ts";
import { isAllDone, isFailed, missingNeeds, readyWorkstreams, workstreamsOf } from "./workstreams.ts";

type Wave = NonNullable<MissionState["wave"]>;

/** Launches what belongs to the wave, as far as there are places; finished work is never launched again. */
export function launchRule(state: MissionState, { now }: MissionFacts): RunEvent[] {
  const { autopilot, wave, spec } = state;
  if (autopilot === null || wave === null || spec === null || whyNoLaunch(state, now) !== null) return [];
  if (placesTaken(state) >= spec.concurrency) return [];
  const next = waitingIn(state, wave)[0];
  return next === undefined ? [] : launchEvents(state, next, { by: "autopilot", wave: wave.number, now });
}

/** Of a wave, those that it has not launched yet. */
const waitingIn = (state: MissionState, { number, workstreams }: Wave): WorkstreamState[] =>
  workstreams.flatMap((id) => {
    const one = state.goals[id];
    const isOpen = one !== undefined && (one.status === "queued" || isFailed(one));
    // What it needs may have been left out since the wave began.
    const isReady = one !== undefined && missingNeeds(state, one).length === 0;
    return isOpen && isReady && !one.runs.some((run) => run.wave === number) ? [one] : [];
  });

const isOver = (state: MissionState, wave: Wave): boolean =>
  waitingIn(state, wave).length === 0 && wave.workstreams.every((id) => state.goals[id]?.status !== "issued");

/** The next wave: what is ready, and what failed and may be tried again; or the reason why there is none. */
export function waveRule(state: MissionState, facts: MissionFacts): RunEvent[] {
  if (state.autopilot === null || state.stop !== null || state.pause !== null || state.acceptance !== null)
    return [];
  if (isAllDone(state)) return stopped("ready_to_accept", "every workstream is done or left out");
  const spent = spentBudget(state, facts.now);
  const isIdle = workstreamsOf(state).every(({ status }) => status !== "issued");
  if (spent !== null) return isIdle ? stopped("budget_exhausted", whyNoLaunch(state, facts.now) ?? "") : [];
  if (state.wave !== null && !isOver(state, state.wave)) return [];
  const failed = workstreamsOf(state).filter(isFailed);
  if (failed.length > 0 && wantsRepositories(state) && facts.repositories === null) return [];
  const again = failed.filter((one) => whyNoRetry(state, one, facts) === null);
  const retried = withinBudget(state, again);
  const stop = failed.length > retried.length ? stopForFailure(state, failed, facts) : null;
  if (stop !== null) return isIdle ? stop : [];
  const next = [...retried, ...readyWorkstreams(state)].map(({ goal }) => goal.id);
  if (next.length > 0)
    return [{ type: "WaveBegun", data: { wave: (state.wave?.number ?? 0) + 1, workstreams: next } }];
  return isIdle ? nothingReady(state, failed, facts) : [];
}

/** Retries are decided by a look at the repositories. */
export const wantsRepositories = (state: MissionState): boolean =>
  state.autopilot?.autoRetry === true &&
  workstreamsOf(state).some(isFailed) &&
  state.stop === null &&
  state.pause === null;

const stopped = (reason: AutopilotStop, text: string): RunEvent[] => [
  { type: "AutopilotStopped", data: { reason, text } },
];

interface NoRetry {
  readonly reason: AutopilotStop;
  readonly text: string;
}

function whyNoRetry(state: MissionState, one: WorkstreamState, facts: MissionFacts): NoRetry | null {
  const { id } = one.goal;
  const text = `${id}: ${one.end?.text ?? "failed"}`;
  const { autopilot, retries } = state;
  if (autopilot?.autoRetry !== true) return { reason: "workstream_failed", text };
  const all = Object.values(retries).reduce((sum, count) => sum + count, 0);
  if ((retries[id] ?? 0) >= autopilot.retries || all >= autopilot.missionRetries)
    return {
      reason: "retries_exhausted",
      text: `${text} (retries: ${String(retries[id] ?? 0)} of it, ${String(all)} in all)`,
    };
  const unsafe = unsafeRetry(state, one, { ...facts, alone: false });
  return unsafe === null ? null : { reason: "retry_unsafe", text: `${id}: ${unsafe.reason}: ${unsafe.text}` };
}

/** No more than the mission has retries left. */
function withinBudget(
  { autopilot, retries }: MissionState,
  again: readonly WorkstreamState[],
): readonly WorkstreamState[] {
  const used = Object.values(retries).reduce((sum, count) => sum + count, 0);
  return again.slice(0, Math.max(0, (autopilot?.missionRetries ?? 0) - used));
}

function stopForFailure(
  state: MissionState,
  failed: readonly WorkstreamState[],
  facts: MissionFacts,
): RunEvent[] | null {
  if (state.autopilot?.continueOnFailure === true) return null;
  const why = failed.flatMap((one) => whyNoRetry(state, one, facts) ?? [])[0];
  return why === undefined
    ? stopped("retries_exhausted", "the mission has no retries left")
    : stopped(why.reason, why.text);
}

function nothingReady(
  state: MissionState,
  failed: readonly WorkstreamState[],
  facts: MissionFacts,
): RunEvent[] {
  const [why] = failed.flatMap((one) => whyNoRetry(state, one, facts) ?? []);
  if (why !== undefined) return stopped(why.reason, why.text);
  const [held] = heldBarriers(state);
  if (held !== undefined) return stopped("barrier_held", `${held.name} ${held.text}`);
  return stopped("nothing_ready", "what is left waits for workstreams that were left out");
}
