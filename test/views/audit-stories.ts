import type { EffectKind } from "../../src/model/effects/effects.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events/events.ts";
import { EXAMPLES } from "../model/example-events.ts";

/** What examples say otherwise than the others, so that they fit into one story. */
const FITTING: { readonly [Type in EventType]?: Partial<EventData<Type>> } = {
  HealthChanged: { attempt: "work#1" },
  RemedyTaken: { attempt: "work#1" },
  BodyLooped: { i: 0, patch: { set: { seen: 1 } } },
};

/** An event as in the examples, or with other words. */
export function eventOf<Type extends EventType>(type: Type, more: Partial<EventData<Type>> = {}): RunEvent {
  return { type, data: { ...EXAMPLES[type], ...FITTING[type], ...more } } as RunEvent;
}

let tries = 0;

/** Something was tried outside the journal, and did not come out well: what is told of it follows from that. */
function tried(kind: EffectKind, fields: object): RunEvent[] {
  tries += 1;
  const key = `tried/${kind}.${String(tries)}`;
  return [
    { type: "EffectIntended", data: { key, effect: { kind, ...fields } } } as RunEvent,
    { type: "EffectSettled", data: { key, outcome: { kind: "failed", text: "no", terminal: false } } },
  ];
}

/** What stands before each story. */
export const BEFORE = {
  agents: [eventOf("RunCreated"), eventOf("RunStarted"), eventOf("AttemptStarted")],
  body: [eventOf("BodyCreated")],
} as const;

interface Story {
  /** Instead of the usual beginning. */
  readonly from?: readonly RunEvent[];
  readonly story: readonly RunEvent[];
  readonly because: readonly EventType[];
}

const asked = eventOf("RequestHeard");
const outcome = "EffectSettled";

const story = (events: readonly (EventType | RunEvent)[], ...because: readonly EventType[]): Story => ({
  story: events.map((event) => (typeof event === "string" ? eventOf(event) : event)),
  because,
});
const askedFor: Story = story([asked], "RequestHeard");
/** It follows from one event alone. */
const after = (type: EventType): Story => story([type], type);
const both = (first: EventType): Story => story([first, asked], first, "RequestHeard");
const reported = (kind: EffectKind, fields: object): Story => story(tried(kind, fields), outcome);
const wished = (wish: EventType, kind: EffectKind, fields: object): Story =>
  story([wish, ...tried(kind, fields)], wish, outcome);

const tree = "/project";
const ofAttempt = { attempt: "work#1", step: "work", tree };
const ended = eventOf("AttemptEnded");

/** What leads to each decision, and what why must find of it. */
export const LED_TO: { readonly [Type in EventType]?: Story } = {
  RunCreated: { from: [], story: [], because: [] },
  BodyCreated: { from: [], story: [], because: [] },
  RunStarted: { from: [eventOf("RunCreated")], story: [], because: ["RunCreated"] },
  AttemptStarted: {
    from: [eventOf("RunCreated"), eventOf("RunStarted")],
    story: [],
    because: ["RunStarted"],
  },
  RequestAnswered: askedFor,
  RunStopping: askedFor,
  RunPaused: after("RunStopping"),
  RunResumed: askedFor,
  RunBlocked: after("StepFailed"),
  EscalationRaised: after("RunBlocked"),
  EscalationResolved: both("EscalationRaised"),
  NoticeQueued: after("EscalationRaised"),
  NoticeRetryScheduled: after("NoticeQueued"),
  NoticeDropped: after("NoticeQueued"),
  RunUnblocked: both("RunBlocked"),
  RunCompleted: after("StepSucceeded"),
  RunFailed: after("StepFailed"),
  RunCancelled: after("RunStopping"),
  RunReopened: askedFor,
  HealthChanged: after("SignalsHeard"),
  RemedyTaken: after("HealthChanged"),
  TriageJudged: after("HealthChanged"),
  RemedyJudged: after("RemedyTaken"),
  AttemptEnding: story([], "AttemptStarted"),
  AttemptEnded: after("SignalsHeard"),
  StepSucceeded: after("AttemptEnded"),
  StepRetryScheduled: after("AttemptEnded"),
  StepFailed: after("AttemptEnded"),
  StepReset: askedFor,
  StepChecked: after("AttemptEnded"),
  StepSkipped: story([], "RunStarted"),
  StepsPlanned: after("AttemptEnded"),
  StepsReplanned: both("StepsPlanned"),
  StepAdvised: askedFor,
  AlarmSet: askedFor,
  AlarmRang: after("AlarmSet"),
  AlarmDropped: both("AlarmSet"),
  RunBudgetSet: askedFor,
  RunSettingsChanged: askedFor,
  GateChecked: story([], "RunStarted"),
  GateAsked: story([], "RunStarted"),
  GateApproved: both("GateAsked"),
  GateRejected: both("GateAsked"),
  GateExpired: after("GateAsked"),
  GatePassed: story(["GateApproved"], "GateApproved", "RunStarted"),
  RealityChecked: after("StepSucceeded"),
  BudgetPressed: story(["SignalsHeard"], "SignalsHeard", "RunCreated"),
  PolicyApplied: story([], "AttemptStarted"),
  HookJudged: story([], "RunStarted"),
  LimitPassed: story(
    [eventOf("StepRetryScheduled", { limit: "until noon" }), "GroundHeard"],
    "StepRetryScheduled",
    "GroundHeard",
  ),
  AttemptPardoned: story(
    [ended, eventOf("GroundHeard", { news: { ...EXAMPLES.GroundHeard.news, pardons: ["work#1"] } })],
    "AttemptEnded",
    "GroundHeard",
  ),
  CrashGuardTripped: after("AttemptEnded"),
  CommitWanted: askedFor,
  WorkCommitted: wished("CommitWanted", "CommitWork", { tree }),
  CommitRefused: wished("CommitWanted", "CommitWork", { tree }),
  WorkAccepted: wished("CommitWanted", "AcceptWork", { tree }),
  AcceptRefused: wished("CommitWanted", "AcceptWork", { tree }),
  WorkJoined: reported("JoinWork", ofAttempt),
  JoinRefused: reported("JoinWork", ofAttempt),
  WorktreeCreated: reported("CreateWorktree", {}),
  WorktreeRemoved: reported("RemoveWorktree", { tree: EXAMPLES.WorktreeRemoved.tree }),
  WorktreeKept: reported("RemoveWorktree", { tree: EXAMPLES.WorktreeKept.tree }),
  WorkspaceHeld: reported("HoldTree", { tree }),
  WorkspaceAwaited: reported("HoldTree", { tree }),
  WorkspaceFreed: reported("FreeTree", { tree }),
  CheckpointTaken: reported("TakeCheckpoint", { checkpoint: "c1", cause: "periodic", tree }),
  CheckpointsReleased: after("RunCompleted"),
  RestoreWanted: askedFor,
  RestoreDropped: after("RestoreWanted"),
  RunRestored: wished("RestoreWanted", "RestoreCheckpoint", { checkpoint: "c1", tree }),
  HandedOver: askedFor,
  ArtifactsRegistered: reported("CollectOutputs", ofAttempt),
  BaseNoted: reported("LookAtHead", { tree }),
  DriftFound: reported("LookAtHead", { tree }),
  BindingDriftFound: reported("LookAtBindings", {}),
  OverlapFound: reported("CompareWork", { tree }),
  StepsReissued: askedFor,
  StepsRebound: askedFor,
  FilesTrusted: askedFor,
  FilesDistrusted: askedFor,
  RepositoryMoved: reported("OpenSeal", { of: "work#1" }),
  ProtectedFilesChanged: story(tried("GuardFiles", { tree }), outcome, "AttemptStarted"),
  CopyMade: reported("CopyTree", { step: "work", tree }),
  CopyDropped: reported("DropCopy", { tree: EXAMPLES.CopyDropped.tree }),
  ProposalMade: reported("KeepProposal", ofAttempt),
  ProposalApplyWanted: both("ProposalMade"),
  ProposalApplied: wished("ProposalApplyWanted", "ApplyProposal", { proposal: "run_1.p1", tree }),
  ProposalApplyRefused: wished("ProposalApplyWanted", "ApplyProposal", { proposal: "run_1.p1", tree }),
  ProposalRejected: both("ProposalMade"),
  EffectIntended: story([], "AttemptStarted"),
  BodyStepIntended: story([], "BodyCreated"),
  BodyStepTried: story([], "BodyCreated"),
  BodyStepCleared: askedFor,
  BodySlept: story([], "BodyCreated"),
  BodyWaited: story([], "BodyCreated"),
  BodyWaitEnded: story(["BodyWaited", "BodySignalled"], "BodyWaited", "BodySignalled"),
  BodySpawned: story([], "BodyCreated"),
  BodyLooped: story([], "BodyCreated"),
  BodyBudgetSet: askedFor,
  LimitReached: after("FilesTrusted"),
};
