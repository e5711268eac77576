import type { EffectKind } from "../../model/effects/effects.ts";
import type { Recorded } from "../../model/events/events.ts";
import { endOfAttempt, gateRunBy } from "./why-flow.ts";
import { newestOf, type EffectOf, type WhyJournal } from "./why-journal.ts";
import { endOfRun } from "./why-workspace.ts";

type Found = Recorded | undefined;
type EffectCauses = {
  readonly [Kind in EffectKind]: (
    effect: EffectOf<Kind>,
    event: Recorded,
    journal: WhyJournal,
  ) => readonly Found[];
};

/** What last moved the work on: agents are prepared for, and looked after, because of it. */
const workStands = (event: Recorded, journal: WhyJournal): Found =>
  newestOf(
    journal.last("RunStarted", event),
    journal.last("RunResumed", event),
    journal.last("RunUnblocked", event),
    journal.last("RunReopened", event),
    journal.last("RunRestored", event),
    journal.last("GatePassed", event),
    journal.last("AttemptStarted", event),
    journal.last("AttemptEnded", event),
    journal.last("StepSucceeded", event),
    journal.last("StepSkipped", event),
    journal.last("StepReset", event),
    journal.last("StepRetryScheduled", event),
  );

export const startOf = (attempt: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("AttemptStarted", event, ({ data }) => data.attempt === attempt);

/** The end of an attempt, after which its work is looked at. */
const afterAttempt = (
  { attempt }: { readonly attempt: string },
  event: Recorded,
  journal: WhyJournal,
): Found[] => [endOfAttempt(attempt, event, journal) ?? startOf(attempt, event, journal)];

/** What leads to each thing that is done outside the journal. */
const EFFECT_CAUSES: EffectCauses = {
  StartAgent: ({ attempt }, event, journal) => [startOf(attempt, event, journal)],
  TellAgent: ({ attempt, alarm, remedy }, event, journal) => {
    if (alarm !== undefined) return [journal.last("AlarmRang", event, ({ data }) => data.id === alarm)];
    const ofIt = ({ data }: { data: { attempt?: string | undefined } }): boolean => data.attempt === attempt;
    const own = newestOf(
      journal.last("RemedyTaken", event, ofIt),
      journal.last("LimitPassed", event, ofIt),
      journal.last("PolicyApplied", event, ofIt),
    );
    return [(remedy === true ? own : (journal.askedBy(event) ?? own)) ?? startOf(attempt, event, journal)];
  },
  AnswerPermission: ({ attempt }, event, journal) => [
    journal.askedBy(event),
    journal.last(
      "SignalsHeard",
      event,
      ({ data }) => data.attempt === attempt && data.signals.some(({ kind }) => kind === "permission"),
    ) ?? startOf(attempt, event, journal),
  ],
  EndAgent: ({ attempt }, event, journal) => [
    journal.last("AttemptEnding", event, ({ data }) => data.attempt === attempt) ??
      startOf(attempt, event, journal),
  ],
  RunCheck: (effect, event, journal) =>
    effect.phase === "before"
      ? [workStands(event, journal)]
      : effect.phase === "end"
        ? [startOf(effect.attempt, event, journal)]
        : afterAttempt(effect, event, journal),
  AskReview: afterAttempt,
  CollectOutputs: afterAttempt,
  JoinWork: afterAttempt,
  KeepProposal: afterAttempt,
  OpenSeal: ({ of }, event, journal) => [endOfAttempt(of, event, journal) ?? startOf(of, event, journal)],
  GuardFiles: ({ tree }, event, journal) => [
    newestOf(
      journal.last("ProtectedFilesStirred", event, ({ data }) => data.tree === tree),
      journal.last("FilesDistrusted", event),
      workStands(event, journal),
    ),
  ],
  TakeCheckpoint: ({ cause }, event, journal) => {
    if (cause === "asked")
      return [
        journal.askedBy(event) ?? newestOf(journal.last("GateAsked", event), workStands(event, journal)),
      ];
    if (cause === "before_restore") return [journal.askedBy(event) ?? journal.last("RestoreWanted", event)];
    if (cause === "before_commit") return [journal.last("CommitWanted", event)];
    if (cause === "suspended") return [journal.last("AttemptEnded", event)];
    return [workStands(event, journal)];
  },
  RunAtGate: ({ gate }, event, journal) => gateRunBy(gate, event, journal),
  LookAtHead: (_, event, journal) => [workStands(event, journal)],
  LookAtBindings: (_, event, journal) => [workStands(event, journal)],
  CompareWork: (_, event, journal) => [
    newestOf(journal.last("CheckpointTaken", event), workStands(event, journal)),
  ],
  UploadFiles: (_, event, journal) => [
    newestOf(journal.last("CheckpointTaken", event), journal.last("WorkCommitted", event)),
  ],
  FetchFiles: (_, event, journal) => [journal.last("RunClaimed", event)],
  ReleaseCheckpoints: (_, event, journal) => [
    newestOf(
      journal.last("CheckpointsReleased", event),
      journal.last("ProposalApplied", event),
      journal.last("ProposalRejected", event),
      endOfRun(event, journal),
    ),
  ],
  RestoreCheckpoint: ({ checkpoint }, event, journal) => [
    journal.last("RestoreWanted", event, ({ data }) => data.checkpoint === checkpoint),
  ],
  CreateWorktree: (_, event, journal) => [
    newestOf(journal.last("RestoreWanted", event), workStands(event, journal)),
  ],
  HoldTree: (_, event, journal) => [
    newestOf(
      journal.last("RunClaimed", event),
      journal.last("WorkspaceAwaited", event),
      workStands(event, journal),
    ),
  ],
  FreeTree: (_, event, journal) => [endOfRun(event, journal) ?? workStands(event, journal)],
  RunInTree: ({ part }, event, journal) => [
    part === "teardown"
      ? newestOf(endOfRun(event, journal), journal.last("StepSucceeded", event))
      : newestOf(journal.last("WorktreeCreated", event), workStands(event, journal)),
  ],
  CarryFiles: (_, event, journal) => [
    newestOf(journal.last("WorktreeCreated", event), workStands(event, journal)),
  ],
  RemoveWorktree: (_, event, journal) => [
    newestOf(
      endOfRun(event, journal),
      journal.last("StepSucceeded", event),
      journal.last("StepReset", event),
      journal.last("StepSkipped", event),
      journal.last("StepsReplanned", event),
    ),
  ],
  CommitWork: (_, event, journal) => [journal.last("CommitWanted", event)],
  AcceptWork: (_, event, journal) => [journal.last("CommitWanted", event)],
  CopyTree: (_, event, journal) => [workStands(event, journal)],
  ApplyProposal: ({ proposal }, event, journal) => [
    journal.last("ProposalApplyWanted", event, ({ data }) => data.proposal === proposal),
  ],
  DropCopy: (_, event, journal) => [
    newestOf(
      journal.last("ProposalApplied", event),
      journal.last("ProposalRejected", event),
      endOfRun(event, journal),
      workStands(event, journal),
    ),
  ],
  TellGround: ({ fact: { attempt } }, event, journal) => {
    const ofIt = ({ data }: { data: { attempt: string } }): boolean => data.attempt === attempt;
    return [
      newestOf(
        journal.last("AttemptEnded", event, ofIt),
        journal.last("HealthChanged", event, ofIt),
        journal.last("SignalsHeard", event, ofIt),
        startOf(attempt, event, journal),
      ) ??
        // It is not of an attempt: a command that makes the place ready has failed.
        newestOf(journal.last("WorkspaceCommandEnded", event), workStands(event, journal)),
    ];
  },
  AskTriage: ({ of }, event, journal) => [
    journal.last("HealthChanged", event, ({ data }) => data.attempt === of) ?? startOf(of, event, journal),
  ],
  RunHook: (_, event, journal) => [
    newestOf(journal.last("EscalationRaised", event), workStands(event, journal)),
  ],
  Notify: ({ id }, event, journal) => [
    journal.last("NoticeQueued", event, ({ data }) => data.notice.id === id),
  ],
};

/** What led to something that is to be done outside the journal, reported by its intent. */
export function effectCauses(
  { data: { effect } }: { readonly data: { readonly effect: EffectOf<EffectKind> } },
  event: Recorded,
  journal: WhyJournal,
): readonly Found[] {
  const find = EFFECT_CAUSES[effect.kind] as (
    effect: EffectOf<EffectKind>,
    event: Recorded,
    journal: WhyJournal,
  ) => readonly Found[];
  return find(effect, event, journal);
}
