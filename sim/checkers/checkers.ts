import { isDeepStrictEqual } from "node:util";
import type { Recorded } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { replay, stepOfAttempt, type Watch } from "../world/replay.ts";
import { alarmsRing, rungIsTold } from "./watch-alarms.ts";
import { conditionsKept, writersAlone } from "./watch-flow.ts";
import { deliveredFirst } from "./watch-artifacts.ts";
import { keptFirst } from "./watch-checkpoints.ts";
import { placeFirst } from "./watch-workspace.ts";
import { baseIsSettled } from "./watch-drift.ts";
import { gatesKept } from "./watch-gates.ts";
import { guardedFirst } from "./watch-guard.ts";
import { noticesArrive } from "./watch-notices.ts";
import {
  answersFitTable,
  blockedStays,
  escalationsFit,
  raisedIsAsked,
  sentBackStays,
} from "./watch-people.ts";
import { advisersLeave, reviewedBeforeDone } from "./watch-reviews.ts";
import { checkedBeforeDone, feedbackGiven, isOutranked } from "./watch-quality.ts";
import {
  crashGuardKept,
  nothingIntoPauses,
  oneContinuation,
  oneNoticePerIncident,
} from "./watch-shared-resources.ts";
import { remediesInOrder } from "./watch-ladder.ts";
import { budgetKept, classesFit, stoppedStays, waitingIsFree } from "./watch-retries.ts";
import { budgetsConserved, timeKept } from "./watch-limits.ts";
import { hooksKept, policiesKept } from "./watch-rules.ts";
import { durationsKept } from "./watch-time.ts";
import type { Witness } from "../world/witness.ts";

type Check = (events: readonly Recorded[], witness: Witness) => string[];

/** Safety: what must hold of every journal at every time, whatever went wrong. */
const CHECKS: Readonly<Record<string, Check>> = {
  "one live attempt per step, never before its needs, never after its success": oneLiveAttempt,
  "no effect without intent, none settled twice": effectsKeyed,
  "no attempt beyond its cap": withinBudget,
  "nothing charged that died with its supervisor": ownDeathsFree,
  "unknown is never success": successIsReal,
  "every signal once and in order": signalsExact,
  "every request heard once and answered once": requestsOnce,
  "epochs only grow": epochsGrow,
  "no retry before its backoff": backoffKept,
  "one notice per incident": oneNoticePerIncident,
  "nobody who was asked is left at work": advisersLeave,
};

/** Safety that depends on where the run stood: judged while its journal is folded once more. */
const WATCHES: Readonly<Record<string, Watch>> = {
  "blocked is left by a request alone": blockedStays,
  "one open escalation per block": escalationsFit,
  "answers are those of the table": answersFitTable,
  "what an agent asks of people is asked": raisedIsAsked,
  "what is sent back does not count": sentBackStays,
  "done only after its checks": checkedBeforeDone,
  "done only after its reviewers": reviewedBeforeDone,
  "what checks found is told": feedbackGiven,
  "what is declared is delivered and handed on": deliveredFirst,
  "one that writes is alone": writersAlone,
  "conditions are kept": conditionsKept,
  "protected files are looked at first": guardedFirst,
  "work is given out on a settled base": baseIsSettled,
  "what is done is kept first": keptFirst,
  "agents begin in a place that is ready": placeFirst,
  "every notice arrives": noticesArrive,
  "every alarm rings once": alarmsRing,
  "what rang is told": rungIsTold,
  "nothing is started into a known pause": nothingIntoPauses,
  "one continuation per reset": oneContinuation,
  "crashes are counted": crashGuardKept,
  "remedies come one at a time, in order, within budget": remediesInOrder,
  "what cannot pass is not tried again": stoppedStays,
  "failures are what providers say": classesFit,
  "nothing begun on a spent budget": budgetKept,
  "waiting for people is free": waitingIsFree,
  "gates are opened by what they ask for": gatesKept,
  "budgets are conserved": budgetsConserved,
  "the run keeps its time": timeKept,
  "durations are as long as they were to be": durationsKept,
  "hooks are asked first, and once": hooksKept,
  "policies are kept": policiesKept,
};

export async function safetyViolations(run: string, witness: Witness): Promise<string[]> {
  const events = await witness.journal.read(run, { after: 0, limit: 1_000_000 });
  const found = Object.entries(CHECKS).flatMap(([name, check]) =>
    check(events, witness).map((text) => `${name}: ${text}`),
  );
  const { said, state } = replay(events, witness, WATCHES);
  const fold = (await isFold(run, state, witness)) ? [] : ["the state loaded is not the fold of the events"];
  return [...found, ...said, ...acknowledgedLost(run, events, witness), ...fold].map(
    (text) => `${run}: ${text}`,
  );
}

function oneLiveAttempt(events: readonly Recorded[]): string[] {
  const live = new Map<string, string>();
  const done = new Set<string>();
  const needs = new Map<string, readonly string[]>();
  const skipped = new Set<string>();
  const handled = new Set<string>();
  const found: string[] = [];
  const undo = (step: string): void => {
    done.delete(step);
    for (const other of skipped)
      if (needs.get(other)?.includes(step) === true && skipped.delete(other)) undo(other);
  };
  for (const { type, data, seq } of events) {
    if (type === "RunCreated" || type === "StepsPlanned")
      for (const step of type === "RunCreated" ? data.flow.steps : data.steps) {
        needs.set(step.name, step.needs);
        for (const { step: of, status, verdict } of step.when ?? [])
          if (status === "failed" || verdict === "fail") handled.add(of);
      }
    if (type === "StepReset" && live.has(data.step) === false) undo(data.step);
    if (type === "StepsReplanned") undo(data.step);
    if (type === "StepFailed" && handled.has(data.step)) done.add(data.step);
    if (type === "StepSkipped") {
      done.add(data.step);
      skipped.add(data.step);
    }
    if (type === "StepSucceeded") done.add(data.step);
    if (type === "AttemptEnded") live.delete(stepOfAttempt(data.attempt));
    if (type !== "AttemptStarted") continue;
    if (live.has(data.step))
      found.push(`${data.attempt} began at ${String(seq)} beside ${String(live.get(data.step))}`);
    if (done.has(data.step)) found.push(`${data.attempt} began at ${String(seq)} although the step was done`);
    skipped.delete(data.step);
    const missing = needs.get(data.step)?.filter((need) => !done.has(need)) ?? [];
    if (missing.length > 0)
      found.push(`${data.attempt} began at ${String(seq)} before ${missing.join(", ")}`);
    live.set(data.step, data.attempt);
  }
  return found;
}

function effectsKeyed(events: readonly Recorded[], { agents }: Witness): string[] {
  const intended = new Set<string>();
  const settled = new Set<string>();
  const found: string[] = [];
  for (const { type, data, seq } of events) {
    if (type === "EffectIntended") {
      if (intended.has(data.key)) found.push(`${data.key} intended twice, at ${String(seq)}`);
      intended.add(data.key);
    }
    if (type !== "EffectSettled") continue;
    if (!intended.has(data.key)) found.push(`${data.key} settled at ${String(seq)} but never intended`);
    if (settled.has(data.key)) found.push(`${data.key} settled twice, at ${String(seq)}`);
    settled.add(data.key);
  }
  for (const { order } of agents.ofRun(events[0]?.run ?? ""))
    if (!intended.has(`${order.attempt}/StartAgent`))
      found.push(`${order.attempt} was started without a recorded intent`);
  return found;
}

function withinBudget(events: readonly Recorded[]): string[] {
  const charged = new Map<string, number>();
  let cap = Infinity;
  const found: string[] = [];
  for (const { type, data, seq } of events) {
    if (type === "RunCreated") cap = data.settings.attempts.perStep;
    if (type === "RunSettingsChanged")
      for (const { key, to } of data.changes) if (key === "attempts.perStep") cap = Number(to);
    if (type === "StepReset" || type === "StepsReplanned") charged.delete(data.step);
    if (type === "AttemptEnded" && data.charged)
      charged.set(stepOfAttempt(data.attempt), (charged.get(stepOfAttempt(data.attempt)) ?? 0) + 1);
    if (type === "AttemptPardoned") charged.set(data.step, Math.max(0, (charged.get(data.step) ?? 0) - 1));
    if (type === "AttemptStarted" && (charged.get(data.step) ?? 0) >= cap)
      found.push(`${data.attempt} began at ${String(seq)} with no attempts left`);
  }
  return found;
}

/** Agents inside a process that died did nothing wrong; what the journal says of them must cost nothing. */
function ownDeathsFree(events: readonly Recorded[], { agents }: Witness): string[] {
  return events.flatMap(({ type, data, run, seq }) => {
    if (type !== "AttemptEnded" || !data.charged || data.outcome !== "interrupted") return [];
    const inside = agents.of(run, data.attempt).some((session) => session.inside !== null);
    return inside ? [`${data.attempt} was charged at ${String(seq)}`] : [];
  });
}

/**
 * The agent's own word of success and a clean exit; where checks follow, a clean exit, or checks that were red before
 * and are green after. A function that returns nothing has changed files if it ended well.
 */
function successIsReal(events: readonly Recorded[], { agents }: Witness): string[] {
  const created = events[0];
  const steps = created?.type === "RunCreated" ? created.data.flow.steps : [];
  const checked = new Set(
    steps.filter((step) => step.checks.length > 0 || step.reviewers !== undefined).map(({ name }) => name),
  );
  return events.flatMap(({ type, data, run, seq }) => {
    if (type !== "StepSucceeded") return [];
    const sessions = agents.of(run, data.attempt);
    const real = sessions.some((session) =>
      checked.has(data.step) || session.order.spec.use === "function"
        ? session.endedCleanly()
        : session.succeeded(),
    );
    return real || isOutranked(events, data)
      ? []
      : [`${data.attempt} is taken for a success at ${String(seq)}`];
  });
}

function signalsExact(events: readonly Recorded[], { agents }: Witness): string[] {
  const heard = new Map<string, unknown[]>();
  for (const { type, data } of events)
    if (type === "SignalsHeard") {
      const before = heard.get(data.attempt);
      if (before === undefined) heard.set(data.attempt, [...data.signals]);
      else before.push(...data.signals);
    }
  const run = events[0]?.run ?? "";
  return [...heard].flatMap(([attempt, got]) => {
    const fits = agents.of(run, attempt).some((session) => {
      return JSON.stringify(got) === JSON.stringify(session.saidAll().slice(0, got.length));
    });
    return fits || lostAgent(got) ? [] : [`${attempt} was misheard`];
  });
}

/** A session inside a dead process says nothing more: its end is all that is heard. */
const lostAgent = (got: readonly unknown[]): boolean => JSON.stringify(got.at(-1)).includes("vanished");

function requestsOnce(events: readonly Recorded[]): string[] {
  const open = new Set<string>();
  const known = new Set<string>();
  const found: string[] = [];
  for (const { type, data, seq } of events) {
    if (type === "RequestHeard") {
      if (known.has(data.requestId)) found.push(`${data.requestId} heard again at ${String(seq)}`);
      known.add(data.requestId);
      open.add(data.requestId);
    }
    if (type === "RequestAnswered" && !open.delete(data.requestId))
      found.push(`${data.requestId} answered without being open`);
  }
  return [...found, ...[...open].map((id) => `${id} was never answered`)];
}

function epochsGrow(events: readonly Recorded[]): string[] {
  let last: { epoch: number; owner: string } = { epoch: 0, owner: "" };
  return events.flatMap(({ type, data, seq }) => {
    if (type !== "RunClaimed") return [];
    const bad = data.epoch < last.epoch || (data.epoch === last.epoch && data.owner !== last.owner);
    last = data;
    return bad ? [`epoch ${String(data.epoch)} of ${data.owner} at ${String(seq)}`] : [];
  });
}

function backoffKept(events: readonly Recorded[]): string[] {
  const notBefore = new Map<string, number>();
  const dueAt = new Map<string, number>();
  const named = new Set<number>();
  return events.flatMap(({ type, data, at, seq }) => {
    if (type === "AlarmSet") dueAt.set(data.alarm.id, data.alarm.dueAt);
    // A step that sleeps until an alarm rings has nothing to wait for when that is dropped, or has rung: a clock that is
    // set back afterwards does not take the ring back.
    if (type === "AlarmDropped" || type === "AlarmRang")
      for (const [step, time] of notBefore) if (time === dueAt.get(data.id)) notBefore.delete(step);
    if (type === "ClockJumped")
      for (const [step, time] of notBefore)
        if (!named.has(time) && ![...dueAt.values()].includes(time)) notBefore.set(step, time + data.byMs);
    if (type === "StepRetryScheduled") {
      notBefore.set(data.step, data.notBefore);
      if (data.named === true) named.add(data.notBefore);
    }
    if (type === "StepReset") notBefore.delete(data.step);
    if (type !== "AttemptStarted") return [];
    const early = at < (notBefore.get(data.step) ?? -Infinity);
    notBefore.delete(data.step);
    return early ? [`${data.attempt} began too early, at ${String(seq)}`] : [];
  });
}

function acknowledgedLost(run: string, events: readonly Recorded[], { acknowledged }: Witness): string[] {
  return [...(acknowledged.get(run) ?? [])]
    .filter(([seq, hash]) => events[seq - 1]?.hash !== hash)
    .map(([seq]) => `acknowledged and lost: event ${String(seq)}`);
}

/** With or without a snapshot, the fold is the same. */
const isFold = async (run: string, folded: RunState | null, { journal }: Witness): Promise<boolean> =>
  isDeepStrictEqual(plain(folded), plain(await loadRun(journal, run)));

const plain = (state: RunState | null): unknown => JSON.parse(JSON.stringify(state));
