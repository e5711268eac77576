import { isOver } from "../../model/state/step-over.ts";
import type { Assessed, HealthName } from "../../model/agent/health.ts";
import { isSettled } from "../../model/agent/ladder.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { staleResumeAt } from "../../decide/ladder/decide-stale.ts";
import { nextRemedy } from "../../decide/ladder/ladder.ts";
import { hostEvidence } from "./status-host.ts";
import { countdown, heldEvidence, heldStep } from "./status-shared-resources.ts";
import { REMEDY_WORDS } from "../text/remedy-words.ts";

export interface StatusHealth {
  readonly state: string;
  readonly pattern: string | null;
  readonly evidence: readonly string[];
  /** What is waited for and until when, where that is known. */
  readonly waitsFor?: string;
  readonly until?: string;
  /** Where nobody supervises the run: how it was when somebody last did. */
  readonly lastKnown?: { readonly state: string; readonly pattern: string | null; readonly at: string };
  /** How far up the remedies have come for each step in trouble, and what is tried next. */
  readonly remedies?: readonly StatusRemedy[];
}

export interface StatusRemedy {
  readonly step: string;
  readonly pattern: string;
  readonly remedy: string;
  readonly tryNumber: number;
  /** Null while it is being watched whether it helps. */
  readonly outcome: string | null;
  readonly next: { readonly remedy: string; readonly notBefore: string } | null;
}

const SEVERITY: Readonly<Record<HealthName, number>> = {
  healthy: 0,
  waiting: 1,
  degraded: 2,
  stuck: 3,
  crashed: 4,
};

export function statusHealth(state: RunState, now: number): StatusHealth {
  const remedies = Object.values(state.steps).flatMap((step) => statusRemedy(state, step, now));
  return { ...shownHealth(state, now), ...(remedies.length === 0 ? {} : { remedies }) };
}

function statusRemedy(
  { settings }: RunState,
  { spec, ladder, remedies, status }: StepState,
  now: number,
): StatusRemedy[] {
  if (ladder === null || isOver({ status })) return [];
  const { remedy, tryNumber, pattern, outcome } = ladder;
  // Trouble that is over has no remedy after it.
  const next = isSettled(outcome) ? null : nextRemedy(ladder, remedies, settings, now);
  const then = next === null ? null : { remedy: next.remedy, notBefore: isoTime(next.dueAt) };
  return [{ step: spec.name, pattern, remedy, tryNumber, outcome, next: then }];
}

/** The health of a run is that of its worst attempt; where nothing lives, what the run waits for. */
function shownHealth(state: RunState, now: number): StatusHealth {
  const attempts = Object.values(state.attempts);
  const evidence = [
    ...hostEvidence(state),
    ...attempts.flatMap(evidenceOf),
    ...Object.values(state.steps).flatMap((step) => ladderEvidence(state, step, now)),
    ...limitEvidence(state, now),
    ...heldEvidence(state, now),
    ...staleEvidence(state, now),
  ];
  if (state.delayed !== undefined)
    return { state: "waiting", pattern: "host_fault", evidence, waitsFor: "host" };
  const wakesAt = staleResumeAt(state);
  if (wakesAt !== null)
    return { state: "waiting", pattern: null, evidence, waitsFor: "provider", until: isoTime(wakesAt) };
  if (["paused", "pausing", "blocked", "awaiting_approval", "queued"].includes(state.status))
    return { state: "waiting", pattern: null, evidence };
  if (state.status === "failed") return { state: "crashed", pattern: null, evidence };
  const [worst] = attempts
    .map(({ assessed }) => assessed)
    .sort((one, other) => SEVERITY[other.state] - SEVERITY[one.state]);
  if (worst !== undefined) return { ...assessedHealth(worst), evidence };
  const limited = limitedStep(state);
  if (limited !== null)
    return {
      state: "waiting",
      pattern: null,
      evidence,
      waitsFor: "limit",
      until: isoTime(limited.notBefore),
    };
  const held = heldStep(state, now);
  if (held !== null)
    return {
      state: "waiting",
      pattern: null,
      evidence,
      waitsFor: held.ground?.startsWith("account:") === true ? "limit" : "guard",
      ...(held.until === Infinity ? {} : { until: isoTime(held.until) }),
    };
  return { state: "healthy", pattern: null, evidence };
}

const assessedHealth = ({ state, pattern, waitsFor, until }: Assessed): Omit<StatusHealth, "evidence"> => ({
  state,
  pattern,
  ...(waitsFor === null ? {} : { waitsFor }),
  ...(until === null ? {} : { until: isoTime(until) }),
});

function evidenceOf({ id, phase, lastSignalAt, assessed }: AttemptState): string[] {
  const received = lastSignalAt === null ? "" : `, last signal ${isoTime(lastSignalAt)}`;
  const own =
    assessed.state === "healthy" ? [] : [`${id} is ${assessedText(assessed)}`, ...assessed.evidence];
  return [`${id} is ${phase}${received}`, ...own];
}

/** `stuck (tool_loop)`, `waiting until …`. */
export const assessedText = ({ state, pattern, until }: Assessed): string =>
  `${state}${pattern === null ? "" : ` (${pattern})`}${until === null ? "" : ` until ${isoTime(until)}`}`;

/** How far up the remedies have come, and what is tried next. */
function ladderEvidence(
  { settings }: RunState,
  { spec, ladder, remedies, status }: StepState,
  now: number,
): string[] {
  if (ladder === null || isOver({ status })) return [];
  const { remedy, tryNumber, pattern, outcome } = ladder;
  if (outcome === "helped")
    return [`step ${spec.name}, remedies: ${REMEDY_WORDS[remedy]} has helped against ${pattern}`];
  if (outcome === "unclear")
    return [`step ${spec.name}, remedies: ${pattern} is over; nothing shows which remedy helped`];
  const next = nextRemedy(ladder, remedies, settings, now);
  const then =
    next === null ? "none is left" : `next: ${REMEDY_WORDS[next.remedy]}, not before ${isoTime(next.dueAt)}`;
  return [
    `step ${spec.name}, remedies: ${REMEDY_WORDS[remedy]} (${String(tryNumber)}) against ${pattern}; ${then}`,
  ];
}

function limitedStep(state: RunState): { name: string; notBefore: number; limit: string } | null {
  for (const { spec, limit, notBefore } of Object.values(state.steps))
    if (limit !== null && notBefore !== null) return { name: spec.name, notBefore, limit };
  return null;
}

function limitEvidence(state: RunState, now: number): string[] {
  const limited = limitedStep(state);
  if (limited === null) return [];
  return [
    `step ${limited.name} waits for a limit of the provider, ${countdown(limited.notBefore - now)}: ${limited.limit}`,
  ];
}

function staleEvidence(state: RunState, now: number): string[] {
  if (state.status !== "paused" || state.stop !== "stale") return [];
  const at = staleResumeAt(state);
  const quiet = `the provider has been silent since ${isoTime(state.stale.activityAt)}`;
  return [
    at === null
      ? `${quiet}; it does not go on by itself`
      : `${quiet}; it goes on by itself at ${isoTime(at)}, waits ${countdown(at - now)}`,
  ];
}
