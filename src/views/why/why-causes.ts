import { effectKey } from "../../model/effects/effects.ts";
import type { Recorded } from "../../model/events/events.ts";
import { blockedBy } from "./why-blocked.ts";
import { programCauses, lastOfProgram } from "./why-program.ts";
import { effectCauses, startOf } from "./why-effects.ts";
import { endOf, endOfAttempt, flowCauses, plannedBy } from "./why-flow.ts";
import { sharedResourceCauses, incidentSeen } from "./why-shared-resources.ts";
import {
  createdBy as created,
  received,
  newestOf,
  type Causes,
  type RecordedOf,
  type WhyJournal,
} from "./why-journal.ts";
import { proposalCauses } from "./why-proposals.ts";
import { remedyCauses } from "./why-remedies.ts";
import { workspaceCauses } from "./why-workspace.ts";

/** Failures of one step that are shown; older ones are in the journal. */
const FAILURES_MAX = 10;

type Found = Recorded | undefined;

/** An alarm that wakes a paused run stands right before what it leads to. */
const rangJustBefore = (event: Recorded, journal: WhyJournal): Found => {
  const rang = journal.last("AlarmRang", event);
  return rang?.seq === event.seq - 1 ? rang : undefined;
};

/** From each event back to those that it follows from. What is not here comes from outside, or is not reported. */
const CAUSES: Causes = {
  ...programCauses,
  ...remedyCauses,
  ...flowCauses,
  ...workspaceCauses,
  ...proposalCauses,
  ...sharedResourceCauses,
  RunStarted: (event, journal) => [journal.last("RunCreated", event)],
  RunStopping: (event, journal) => [stoppedBy(event, journal)],
  RunPaused: (event, journal) => [journal.last("RunStopping", event)],
  RunCancelled: (event, journal) => [journal.last("RunStopping", event)],
  RunResumed: (event, journal) => [
    (event.data.after === "stale" ? journal.last("RunPaused", event) : undefined) ??
      journal.askedBy(event) ??
      rangJustBefore(event, journal) ??
      journal.last("RunClaimed", event),
  ],
  RunReopened: (event, journal) => [journal.askedBy(event)],
  RunMoved: (event, journal) => [
    event.data.carried === undefined
      ? journal.askedBy(event)
      : journal.outcomeOf("FetchFiles", event, ({ ref }) => ref !== ""),
  ],
  RunUnblocked: (event, journal) => [journal.askedBy(event), journal.last("RunBlocked", event)],
  RunBlocked: blockedBy,
  RunFailed: (event, journal) => [
    journal.last("StepFailed", event, ({ data }) => data.step === event.data.step) ??
      lastOfProgram(event, journal),
  ],
  RunCompleted: completedBy,
  StepSucceeded: (event, journal) => {
    const ofAttempt = ({ data }: { data: { attempt: string } }): boolean =>
      data.attempt === event.data.attempt;
    const ofStep = ({ data }: { data: { step: string } }): boolean => data.step === event.data.step;
    const settled = newestOf(
      journal.last("StepChecked", event, ofAttempt),
      journal.last("ProposalApplied", event, ofStep),
      journal.last("ProposalRejected", event, ofStep),
    );
    return [settled ?? journal.last("AttemptEnded", event, ofAttempt)];
  },
  StepChecked: (event, journal) => {
    const own = checksOf(event.data.attempt, event, journal);
    const wanted = event.data.verdict === "pass" ? "pass" : own[0]?.verdict;
    const found = own.filter(({ verdict }) => verdict === wanted).map(({ settled }) => settled);
    return found.length > 0 ? found : [endOfAttempt(event.data.attempt, event, journal)];
  },
  StepFailed: failuresOf,
  StepRetryScheduled: (event, journal) => [
    journal.last("AlarmSet", event, ({ data }) => data.alarm.dueAt === event.data.notBefore) ??
      lastFailureOf(event.data.step, event, journal),
  ],
  PermissionKept: (event, journal) => [journal.askedBy(event)],
  StepAdvised: advisedBy,
  AlarmSet: (event, journal) => [journal.askedBy(event)],
  AlarmRang: (event, journal) => [
    journal.last("AlarmSet", event, ({ data }) => data.alarm.id === event.data.id),
  ],
  AlarmDropped: (event, journal) => [
    journal.askedBy(event),
    journal.last("AlarmSet", event, ({ data }) => data.alarm.id === event.data.id),
  ],
  CheckpointNoted: (event, journal) => [startOf(event.data.attempt, event, journal)],
  AttemptStarted: startedBy,
  AttemptEnding: endingBy,
  AttemptEnded: endedBy,
  SignalsHeard: (event, journal) => [startOf(event.data.attempt, event, journal)],
  HealthChanged: (event, journal) => [
    journal.last("SignalsHeard", event, ({ data }) => data.attempt === event.data.attempt) ??
      startOf(event.data.attempt, event, journal),
  ],
  SessionObserved: (event, journal) => [journal.last("RunClaimed", event)],
  EffectIntended: (event, journal) => effectCauses(event, event, journal),
  EffectDelayed: (event, journal) => [journal.intended(event.data.key)],
  EffectSettled: (event, journal) => {
    const intended = journal.intended(event.data.key);
    return intended === undefined ? [] : effectCauses(intended, intended, journal);
  },
  RequestAnswered: (event, journal) => [
    journal.last("RequestHeard", event, ({ data }) => data.requestId === event.data.requestId),
  ],
  RunBudgetSet: (event, journal) => [journal.askedBy(event)],
  RunSettingsChanged: (event, journal) => [journal.askedBy(event)],
  BudgetPressed: (event, journal) => [
    journal.last("SignalsHeard", event, received("usage")),
    journal.last("RunBudgetSet", event) ?? created(event, journal),
  ],
  EscalationRaised: (event, journal) => [journal.last("RunBlocked", event)],
  EscalationResolved: (event, journal) => [
    journal.askedBy(event),
    journal.last("EscalationRaised", event, ({ data }) => data.escalation.id === event.data.id),
  ],
  NoticeQueued: (event, journal) => [noticeCause(event, journal)],
  NoticeRetryScheduled: (event, journal) => [settledNotice(event.data.id, event, journal)],
  NoticeDropped: (event, journal) => [settledNotice(event.data.id, event, journal)],
};

/** What an event follows from, each before it. */
export function causesOf(event: Recorded, journal: WhyJournal): Recorded[] {
  const find = CAUSES[event.type] as ((event: Recorded, journal: WhyJournal) => readonly Found[]) | undefined;
  const found = find?.(event, journal) ?? [];
  return [...new Set(found)].filter((cause) => cause !== undefined);
}

function completedBy(event: RecordedOf<"RunCompleted">, journal: WhyJournal): readonly Found[] {
  if (journal.state.kind === "program") return [lastOfProgram(event, journal)];
  return [
    ...Object.keys(journal.state.steps).map((step) => endOf(step, event, journal)),
    journal.last("RealityChecked", event),
  ];
}

/** Since a step was last given new attempts, only what came later counts. */
const resetBefore = (step: string, event: Recorded, journal: WhyJournal): number =>
  journal.last("StepReset", event, ({ data }) => data.step === step)?.seq ?? 0;

function failuresOf(event: RecordedOf<"StepFailed">, journal: WhyJournal): readonly Found[] {
  const { step, failure } = event.data;
  const since = resetBefore(step, event, journal);
  const found: Recorded[] = [];
  if (failure.class === "check_failed")
    for (const checked of journal.before("StepChecked", event, ({ data }) => data.step === step)) {
      if (checked.seq < since || found.length >= FAILURES_MAX) break;
      if (checked.data.verdict !== "pass") found.push(checked);
    }
  else
    for (const ended of journal.before("AttemptEnded", event, (one) => isFailureOf(step, one, journal))) {
      if (ended.seq < since || found.length >= FAILURES_MAX) break;
      found.push(ended);
    }
  return found.length > 0 ? found : [created(event, journal)];
}

const isFailureOf = (step: string, { data }: RecordedOf<"AttemptEnded">, journal: WhyJournal): boolean =>
  data.failure !== undefined && journal.stepOf(data.attempt) === step;

function lastFailureOf(step: string, event: Recorded, journal: WhyJournal): Found {
  const ended = journal.last("AttemptEnded", event, (one) => isFailureOf(step, one, journal));
  const checked = journal.last(
    "StepChecked",
    event,
    ({ data }) => data.step === step && data.verdict !== "pass",
  );
  return (checked?.seq ?? 0) > (ended?.seq ?? 0) ? checked : ended;
}

/** What Holdfast shows the next attempt stands right behind what it is about; what a person says is asked for. */
function advisedBy(event: RecordedOf<"StepAdvised">, journal: WhyJournal): readonly Found[] {
  const { step } = event.data;
  const ofStep = ({ data }: { data: { step?: string | undefined } }): boolean => data.step === step;
  return [
    journal.askedBy(event) ??
      newestOf(
        journal.last("RunRestored", event),
        journal.last("DriftFound", event),
        journal.last("RemedyTaken", event, ofStep),
        journal.last("HandedOver", event, ofStep),
        journal.last("AlarmRang", event, ofStep),
        journal.last("GateChecked", event, ({ data }) => data.rework.includes(step)),
        journal.last("RealityChecked", event, ({ data }) => data.reopened.includes(step)),
        journal.last("JoinRefused", event, ofStep),
        journal.last("AttemptEnded", event, ({ data }) => journal.stepOf(data.attempt) === step),
      ),
  ];
}

function startedBy(event: RecordedOf<"AttemptStarted">, journal: WhyJournal): readonly Found[] {
  const { step } = event.data;
  const ofStep = ({ data }: { data: { step: string } }): boolean => data.step === step;
  const needs = journal.state.steps[step]?.spec.needs ?? [];
  const [newest] = [
    journal.last("StepRetryScheduled", event, ofStep),
    journal.last("StepReset", event, ofStep),
    journal.last("AttemptEnded", event, ({ data }) => journal.stepOf(data.attempt) === step),
    journal.last("StepSucceeded", event, ({ data }) => needs.includes(data.step)),
    journal.last("StepsReplanned", event, ofStep),
    journal.last("GatePassed", event, () => journal.state.steps[step]?.spec.phase !== undefined),
    journal.last("RunStarted", event),
  ]
    .filter((cause) => cause !== undefined)
    .sort((a, b) => b.seq - a.seq);
  return [newest, plannedBy(step, event, journal)];
}

/** A supervisor that ends stops the agents inside its process: the run was its since it took it. */
function stoppedBy(event: RecordedOf<"RunStopping">, journal: WhyJournal): Found {
  const { stop } = event.data;
  if (stop === "stale") return journal.last("RemedyJudged", event);
  if (stop === "timeout") return journal.last("GateExpired", event) ?? journal.last("PhaseTimedOut", event);
  return stop === "supervisor_restart" ? journal.last("RunClaimed", event) : journal.askedBy(event);
}

function endingBy(event: RecordedOf<"AttemptEnding">, journal: WhyJournal): readonly Found[] {
  const { to, attempt } = event.data;
  if (to === "paused" || to === "cancelled") return [journal.last("RunStopping", event)];
  if (to === "suspended") return [journal.last("RunBlocked", event)];
  if (to === "sent_back") return [journal.askedBy(event)];
  if (to === "message")
    return [
      journal.askedBy(event) ?? journal.last("RemedyTaken", event, ({ data }) => data.attempt === attempt),
    ];
  if (to === "stuck") return [journal.last("RemedyTaken", event, ({ data }) => data.attempt === attempt)];
  const start = to === "start_failed" ? failedStart(attempt, event, journal) : undefined;
  return [start ?? startOf(attempt, event, journal)];
}

const failedStart = (attempt: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last(
    "EffectSettled",
    event,
    ({ data }) => data.key === effectKey(attempt, "StartAgent") && data.outcome.kind !== "done",
  );

const ENDED: ReadonlySet<string> = new Set(["gone", "ended"]);

/** What was seen of an attempt's end: its exit, its own word, its last error, what Holdfast did to it, or that it was gone. */
function endedBy(event: RecordedOf<"AttemptEnded">, journal: WhyJournal): readonly Found[] {
  const { attempt } = event.data;
  const ofAttempt = ({ data }: { data: { attempt: string } }): boolean => data.attempt === attempt;
  const seen = [
    journal.last("SignalsHeard", event, (one) => ofAttempt(one) && received("exit")(one)),
    journal.last("SignalsHeard", event, (one) => ofAttempt(one) && received("result")(one)),
    journal.last("SignalsHeard", event, (one) => ofAttempt(one) && received("error")(one)),
    journal.last("AttemptEnding", event, ofAttempt),
    journal.last("SessionObserved", event, (one) => ofAttempt(one) && ENDED.has(one.data.finding)),
    failedStart(attempt, event, journal),
  ].filter((cause) => cause !== undefined);
  return seen.length > 0 ? seen : [startOf(attempt, event, journal)];
}

/** The checks that were run over an attempt's work, newest first. */
function checksOf(attempt: string, event: Recorded, journal: WhyJournal) {
  const prefix = effectKey(attempt, "RunCheck");
  const found: { settled: RecordedOf<"EffectSettled">; verdict: string }[] = [];
  for (const settled of journal.before("EffectSettled", event, ({ data }) => data.key.startsWith(prefix))) {
    const { outcome } = settled.data;
    if (outcome.kind === "done" && outcome.evidence !== undefined)
      found.push({ settled, verdict: outcome.evidence.verdict });
  }
  return found;
}

const settledNotice = (id: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("EffectSettled", event, ({ data }) => data.key.startsWith(effectKey(id, "Notify"))) ??
  journal.last("NoticeQueued", event, ({ data }) => data.notice.id === id);

/** What a notice notifies people of. */
function noticeCause(event: RecordedOf<"NoticeQueued">, journal: WhyJournal): Found {
  const { id, kind, escalation } = event.data.notice;
  switch (kind) {
    case "incident":
      return incidentSeen(id, event, journal);
    case "resolved":
      return journal.last("EscalationResolved", event, ({ data }) => data.id === escalation);
    case "ended":
      return newestOf(
        journal.last("RunCompleted", event),
        journal.last("RunFailed", event),
        journal.last("RunCancelled", event),
      );
    // Of a session and not of a run: its own journal holds the causes.
    case "digest":
      return undefined;
    case "escalation":
    case "reminder":
      return journal.last("EscalationRaised", event, ({ data }) => data.escalation.id === escalation);
  }
}
