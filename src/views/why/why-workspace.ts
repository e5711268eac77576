import type { Recorded } from "../../model/events/events.ts";
import { newestOf, type Causes, type WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;

/** The end of the run: what it leaves behind is tidied up after it. */
export const endOfRun = (event: Recorded, journal: WhyJournal): Found =>
  newestOf(
    journal.last("RunCompleted", event),
    journal.last("RunFailed", event),
    journal.last("RunCancelled", event),
  );

const wantedCommit = (event: Recorded, journal: WhyJournal): Found => journal.last("CommitWanted", event);

const wantedRestore = (checkpoint: string, event: Recorded, journal: WhyJournal): Found =>
  journal.last("RestoreWanted", event, ({ data }) => data.checkpoint === checkpoint);

/** What was tried for a wish since it was uttered. */
const triedFor = (wish: Found, ...tries: readonly Found[]): Found =>
  newestOf(...tries.filter((one) => one !== undefined && one.seq > (wish?.seq ?? 0)));

/** What is done with the tree: a look or an act outside, and before it the one that wanted it. */
export const workspaceCauses: Causes = {
  CommitWanted: (event, journal) => {
    const { by, step } = event.data;
    if (by !== "holdfast") return [journal.askedBy(event)];
    if (step !== undefined) return [journal.last("StepSucceeded", event, ({ data }) => data.step === step)];
    // Because it is time: agents are at work since then, or files were put back.
    return [
      newestOf(
        journal.last("RunRestored", event),
        journal.last("WorkCommitted", event),
        journal.last("AttemptStarted", event),
      ),
    ];
  },
  WorkCommitted: (event, journal) => [journal.outcomeOf("CommitWork", event), wantedCommit(event, journal)],
  CommitRefused: (event, journal) => {
    const wanted = wantedCommit(event, journal);
    return [triedFor(wanted, journal.outcomeOf("CommitWork", event)), wanted];
  },
  WorkAccepted: (event, journal) => [journal.outcomeOf("AcceptWork", event), wantedCommit(event, journal)],
  AcceptRefused: (event, journal) => {
    const wanted = wantedCommit(event, journal);
    return [triedFor(wanted, journal.outcomeOf("AcceptWork", event)), wanted];
  },
  WorkJoined: (event, journal) => [
    journal.outcomeOf("JoinWork", event, ({ attempt }) => attempt === event.data.attempt),
  ],
  JoinRefused: (event, journal) => [
    journal.outcomeOf("JoinWork", event, ({ attempt }) => attempt === event.data.attempt),
  ],
  WorktreeCreated: (event, journal) => [
    journal.outcomeOf("CreateWorktree", event, ({ step }) => step === event.data.step),
  ],
  FilesCarried: (event, journal) => [
    journal.outcomeOf("CarryFiles", event, ({ tree }) => tree === event.data.tree),
  ],
  WorktreeRemoved: (event, journal) => [
    journal.outcomeOf("RemoveWorktree", event, ({ tree }) => tree === event.data.tree),
  ],
  WorktreeKept: (event, journal) => [
    journal.outcomeOf("RemoveWorktree", event, ({ tree }) => tree === event.data.tree),
  ],
  WorkspaceHeld: (event, journal) => [journal.outcomeOf("HoldTree", event)],
  WorkspaceAwaited: (event, journal) => [journal.outcomeOf("HoldTree", event)],
  WorkspaceFreed: (event, journal) => [journal.outcomeOf("FreeTree", event)],
  WorkspaceCommandEnded: (event, journal) => [
    journal.outcomeOf("RunInTree", event, ({ part }) => part === event.data.part),
  ],
  CheckpointTaken: (event, journal) => [
    journal.outcomeOf("TakeCheckpoint", event, ({ checkpoint }) => checkpoint === event.data.checkpoint),
  ],
  CheckpointsReleased: (event, journal) => [endOfRun(event, journal)],
  RestoreWanted: (event, journal) => {
    const { by, step } = event.data;
    if (by !== "holdfast") return [journal.askedBy(event)];
    // A remedy for a step, or what those without authority to write have left behind.
    return [
      step === undefined
        ? journal.last("AttemptEnded", event)
        : journal.last("RemedyTaken", event, ({ data }) => data.step === step),
    ];
  },
  RestoreDropped: (event, journal) => [wantedRestore(event.data.checkpoint, event, journal)],
  RunRestored: (event, journal) => {
    const { checkpoint } = event.data;
    return [
      journal.outcomeOf("RestoreCheckpoint", event, (effect) => effect.checkpoint === checkpoint),
      wantedRestore(checkpoint, event, journal),
    ];
  },
  HandedOver: (event, journal) => [
    event.data.by === "holdfast"
      ? journal.last("RemedyTaken", event, ({ data }) => data.step === event.data.step)
      : journal.askedBy(event),
  ],
  ArtifactsRegistered: (event, journal) => [
    journal.outcomeOf("CollectOutputs", event, ({ attempt }) => attempt === event.data.attempt),
  ],
  BaseNoted: (event, journal) => [journal.askedBy(event) ?? journal.outcomeOf("LookAtHead", event)],
  DriftFound: (event, journal) => [journal.outcomeOf("LookAtHead", event)],
  BindingDriftFound: (event, journal) => [journal.outcomeOf("LookAtBindings", event)],
  OverlapFound: (event, journal) => [journal.outcomeOf("CompareWork", event)],
  StepsReissued: (event, journal) => [journal.askedBy(event)],
  StepsRebound: (event, journal) => [journal.askedBy(event)],
  FilesTrusted: (event, journal) => [
    event.data.by === "holdfast"
      ? journal.outcomeOf("GuardFiles", event, ({ tree }) => tree === event.data.tree)
      : journal.askedBy(event),
  ],
  FilesDistrusted: (event, journal) => [journal.askedBy(event)],
  RepositoryMoved: (event, journal) => [
    newestOf(
      journal.outcomeOf("OpenSeal", event, ({ of }) => of === event.data.attempt),
      journal.outcomeOf(
        "AskReview",
        event,
        ({ attempt, agent }) => attempt === event.data.attempt && agent === event.data.agent,
      ),
      journal.outcomeOf(
        "EndAgent",
        event,
        ({ attempt, sealed }) => sealed !== undefined && attempt === event.data.attempt,
      ),
    ),
  ],
  ProtectedFilesChanged: (event, journal) => [
    journal.outcomeOf("GuardFiles", event, ({ tree }) => tree === event.data.tree),
    ...event.data.attempts.map((attempt) =>
      journal.last("AttemptStarted", event, ({ data }) => data.attempt === attempt),
    ),
  ],
  /** What was left out was left out of what stands right before it. */
  LimitReached: (event, journal) => [
    newestOf(journal.last("CheckpointTaken", event), journal.last("FilesTrusted", event)),
  ],
};
