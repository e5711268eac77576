import type { EventType, Recorded } from "../model/events.ts";
import type { Signal } from "../model/signals.ts";
import { tellEvent } from "../views/tell-event.ts";
import { tellSignal } from "../views/tell-signal.ts";

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
  RestoreWanted: "always",
  RestoreDropped: "always",
  HandedOver: "always",
  RunRestored: "always",
  ProtectedFilesChanged: "always",
  RepositoryMoved: "always",
  RunCreated: "always",
  RequestHeard: "always",
  RequestAnswered: "always",
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

/** What somebody who watches a run is told of an event; nothing of what is only book-keeping. */
export function progressLines(event: Recorded): string[] {
  if (TOLD[event.type] === "never") return [];
  if (event.type === "SignalsHeard") return signalLines(event.data.attempt, event.data.signals);
  const isUsual =
    (event.type === "EffectSettled" &&
      event.data.outcome.kind === "done" &&
      event.data.outcome.sandbox === undefined) ||
    (event.type === "RunClaimed" && event.data.from === "nobody") ||
    (event.type === "CommitWanted" && event.data.by === "holdfast") ||
    (event.type === "FilesTrusted" && event.data.by === "holdfast");
  return isUsual ? [] : [tellEvent(event)];
}

function signalLines(attempt: string, signals: readonly Signal[]): string[] {
  const telling = signals.filter(
    ({ kind }) => kind !== "ready" && kind !== "speaking" && kind !== "usage" && kind !== "context",
  );
  const left = telling.length - SIGNALS_SHOWN_MAX;
  const lines = telling.slice(-SIGNALS_SHOWN_MAX).map((signal) => `${attempt}: ${tellSignal(signal)}`);
  return left > 0 ? [`${attempt}: ${String(left)} more signals before these`, ...lines] : lines;
}
