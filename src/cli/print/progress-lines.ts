import type { EventType, Recorded } from "../../model/events/events.ts";
import type { Signal } from "../../model/agent/signals.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { describeSignal } from "../../views/text/describe-signal.ts";
import { eventTone, signalTone, type Tone } from "./event-tone.ts";

const SIGNALS_SHOWN_MAX = 20;

/** What is told of each kind of event; exhaustive by type. */
const TOLD: Readonly<Record<EventType, "always" | "never" | "sometimes">> = {
  EffectIntended: "never",
  RunStarted: "never",
  BodyStepIntended: "never",
  BodyDrew: "never",
  BodySpent: "never",
  NoticeQueued: "never",
  EffectSettled: "sometimes",
  EffectDelayed: "always",
  RunClaimed: "sometimes",
  ClockJumped: "always",
  SignalsHeard: "sometimes",
  FilesTrusted: "sometimes",
  FilesDistrusted: "always",
  CheckpointTaken: "always",
  GateChecked: "always",
  GateAsked: "never",
  GateApproved: "always",
  GateRejected: "always",
  GateExpired: "always",
  PhaseTimedOut: "always",
  GatePassed: "always",
  RealityChecked: "always",
  ArtifactsRegistered: "always",
  CommitWanted: "sometimes",
  WorkCommitted: "always",
  EvidenceOutdated: "always",
  CommitRefused: "always",
  WorkAccepted: "always",
  WorkJoined: "always",
  JoinRefused: "always",
  AcceptRefused: "always",
  CopyMade: "always",
  CopyDropped: "never",
  ProposalMade: "always",
  ProposalApplyWanted: "always",
  ProposalApplied: "always",
  ProposalApplyRefused: "always",
  ProposalRejected: "always",
  WorktreeCreated: "always",
  FilesCarried: "always",
  WorktreeRemoved: "always",
  WorktreeKept: "always",
  WorkspaceHeld: "never",
  WorkspaceAwaited: "always",
  WorkspaceFreed: "never",
  WorkspaceCommandEnded: "always",
  CheckpointsReleased: "always",
  BaseNoted: "never",
  DriftFound: "always",
  OverlapFound: "always",
  ProtectedFilesStirred: "never",
  BindingDriftFound: "always",
  StepsReissued: "always",
  StepsRebound: "always",
  RestoreWanted: "always",
  RestoreDropped: "always",
  HandedOver: "always",
  RunRestored: "always",
  ProtectedFilesChanged: "always",
  RepositoryMoved: "always",
  RunCreated: "always",
  RequestHeard: "always",
  RequestAnswered: "always",
  RunScrubbed: "always",
  ScrubFinished: "always",
  SupervisorDied: "always",
  RunStopping: "always",
  RunPaused: "always",
  RunResumed: "always",
  RunBlocked: "always",
  RunUnblocked: "always",
  RunCompleted: "always",
  RunFailed: "always",
  RunCancelled: "always",
  RunReopened: "always",
  RunSalvaged: "always",
  AttemptStarted: "always",
  SessionObserved: "always",
  HealthChanged: "always",
  GroundTold: "always",
  GroundPaused: "always",
  GroundReopened: "always",
  IncidentOpened: "always",
  IncidentJoined: "always",
  IncidentEnded: "always",
  StoreStopped: "always",
  StoreStarted: "always",
  RollbackAccepted: "always",
  DayBudgetSet: "always",
  GroundHeard: "always",
  LimitPassed: "always",
  AttemptPardoned: "always",
  CrashGuardTripped: "always",
  RemedyTaken: "always",
  ExpertTried: "always",
  TriageJudged: "always",
  RemedyJudged: "always",
  AttemptEnding: "always",
  AttemptEnded: "always",
  StepSucceeded: "always",
  StepRetryScheduled: "always",
  StepFailed: "always",
  StepReset: "always",
  StepDoneByHand: "always",
  StepChecked: "always",
  StepSkipped: "always",
  StepsPlanned: "always",
  StepsReplanned: "always",
  PermissionKept: "always",
  StepAdvised: "always",
  AlarmSet: "always",
  AlarmRang: "always",
  AlarmDropped: "always",
  CheckpointNoted: "always",
  RunBudgetSet: "always",
  BudgetPressed: "always",
  PolicyApplied: "always",
  HookJudged: "always",
  RunSettingsChanged: "always",
  EscalationRaised: "always",
  EscalationResolved: "always",
  NoticeRetryScheduled: "always",
  NoticeDropped: "always",
  BodyCreated: "always",
  BodyStepEnded: "always",
  BodyStepTried: "always",
  BodyStepCleared: "always",
  BodySlept: "always",
  BodyWaited: "always",
  BodySignalled: "always",
  BodyWaitEnded: "always",
  BodySpawned: "always",
  BodyChildEnded: "always",
  BodyLooped: "always",
  BodyLogged: "always",
  BodyBudgetSet: "always",
  LimitReached: "always",
};

/** A line, the step that it is about (null: the run as a whole), and how it is shown where there are colours. */
export interface ProgressLine {
  readonly text: string;
  readonly step: string | null;
  readonly tone: Tone;
}

/** What somebody who watches a run is told of an event; nothing of what is only book-keeping. */
export const progressLines = (event: Recorded): string[] => describedLines(event).map(({ text }) => text);

export function describedLines(event: Recorded): ProgressLine[] {
  if (TOLD[event.type] === "never") return [];
  if (event.type === "SignalsHeard") return signalLines(event.data.attempt, event.data.signals);
  const isUsual =
    (event.type === "EffectSettled" &&
      event.data.outcome.kind === "done" &&
      event.data.outcome.sandbox === undefined) ||
    (event.type === "RunClaimed" && event.data.from === "nobody") ||
    (event.type === "CommitWanted" && event.data.by === "holdfast") ||
    (event.type === "FilesTrusted" && event.data.by === "holdfast");
  return isUsual ? [] : [{ text: describeEvent(event), step: stepOf(event.data), tone: eventTone(event) }];
}

function signalLines(attempt: string, signals: readonly Signal[]): ProgressLine[] {
  const telling = signals.filter(
    ({ kind }) => kind !== "ready" && kind !== "speaking" && kind !== "usage" && kind !== "context",
  );
  const left = telling.length - SIGNALS_SHOWN_MAX;
  const step = stepOf({ attempt });
  const lines = telling.slice(-SIGNALS_SHOWN_MAX).map((signal) => ({
    text: `${attempt}: ${describeSignal(signal)}`,
    step,
    tone: signalTone(signal),
  }));
  const text = `${attempt}: ${String(left)} more signals before these`;
  return left > 0 ? [{ text, step, tone: "faint" }, ...lines] : lines;
}

/** Attempts are named after their step: `build#2`. */
function stepOf(data: object): string | null {
  if ("step" in data && typeof data.step === "string") return data.step;
  return "attempt" in data && typeof data.attempt === "string" ? data.attempt.replace(/#\d+$/, "") : null;
}
