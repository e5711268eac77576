import type { EffectOutcome } from "../effects/effect-outcome.ts";
import type { Effect } from "../effects/effects.ts";
import type { WorkspaceFacts, WorkspacePart, WorktreeFacts } from "../effects/workspace-effects.ts";
import type { CheckBefore } from "./baseline.ts";
import type { CommitState } from "./commit-state.ts";

export const WORKSPACE_EFFECT_KINDS = [
  "CreateWorktree",
  "HoldTree",
  "FreeTree",
  "RunInTree",
  "CarryFiles",
  "RemoveWorktree",
  "CommitWork",
  "AcceptWork",
  "JoinWork",
  "CopyTree",
  "KeepProposal",
  "ApplyProposal",
  "DropCopy",
] as const;
export type WorkspaceEffect = Extract<Effect, { kind: (typeof WORKSPACE_EFFECT_KINDS)[number] }>;

/** A snapshot that a join has taken, by its key in the store of its project. */
export interface JoinSnapshot {
  readonly project: string;
  readonly key: string;
  /** The key of the join itself. */
  readonly of: string;
  /** Null where it is not known, so that nothing is counted from it. */
  readonly snapshot: string | null;
}

/** The place that a run works in. */
export interface WorkspaceState {
  /** The folder that the run was asked for. */
  readonly asked: string;
  /** The tree that it is in, whose files are kept, protected and locked: of a repository or worktree, or the folder itself. */
  readonly root: string;
  /** The repository that it is in: what befalls it befalls other runs too. */
  readonly repository: string;
  /** The run's own worktree while it stands; null where it works in the user's folder. */
  worktree: WorktreeFacts | null;
  /** Where its worktree stands, or stood before it was removed: it comes back there. */
  lastTree: string | null;
  /** It was to be removed, and is kept: something in it is in no snapshot. */
  stays: boolean;
  /** Whether no other run may write in its tree; null where it was not taken. */
  hold: {
    readonly tree: string;
    /** Of the tree's lease; null while it is waited for. */
    readonly epoch: number | null;
    /** Taken by the present owner of the run. */
    readonly fresh: boolean;
    /** The run that has it. */
    readonly waitsFor: string | null;
  } | null;
  /** Commands that were run with success; those before attempts are run before each. */
  ran: Partial<Record<WorkspacePart | "carry", true>>;
  /** What the user had not committed was carried over; it is done once. */
  carried: boolean;
  /** Files that the user has changed and not committed, and that a worktree per attempt lacks, until a person was asked. */
  uncarried: readonly string[];
  /** The command that installs what the repository's lock files name, where one is known. */
  install: string | null;
  /** What checks that failed in the fresh worktree showed in the user's own folder, and whether a person was asked. */
  home: { readonly checks: CheckBefore[]; runs: number; asked: boolean };
  /** Worktrees of steps that write apart from each other, by step; how many were ever made, and how many are kept. */
  trees: Record<string, StepTree>;
  treesMade: number;
  treesKept: number;
  /** What was kept on the way of joining their work, until it is let go. */
  joins: JoinSnapshot[];
  commit: CommitState;
  /** What was done of these and not decided about yet. */
  settled: { readonly effect: WorkspaceEffect; readonly outcome: EffectOutcome } | null;
  /** Effects on the place so far, for the key of the next. */
  acts: number;
  /** Tries in a row that failed; the run asks a person after the last. */
  failures: number;
  failure: string;
  /** The last failure was one of making the place ready; whether other runs of the repository know. */
  unready: { notified: boolean } | null;
  /** When something of making it ready last worked. */
  readyAt: number;
  /** When a person last let the run go on, for pauses of its repository that it learns of only afterwards. */
  letGoAt: number | null;
}

/** The worktree of one step, in which its attempts work one after the other. */
export interface StepTree extends WorktreeFacts {
  /** Commands that were run there with success. */
  ran: Partial<Record<WorkspacePart | "carry", true>>;
  /** The snapshot that its work is counted from; null before the first. */
  base: string | null;
  /** Nothing has begun or ended there since the last checkpoint of it, or since the one under way, was begun. */
  saved: boolean;
  saving: boolean;
  savedAt: number;
  /** Nobody works there any more: the step's next attempt gets another. */
  left: boolean;
}

/** What became of bringing a step's work onto the run's branch. */
export type Joining = Extract<WorkspaceFacts, { kind: "joined" | "unjoined" }>;
