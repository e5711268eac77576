import type { CommitState } from "./commit-state.ts";
import type { Effect, EffectOutcome } from "./effects.ts";
import type { StepTree } from "./step-tree.ts";
import type { WorkspacePart, WorktreeFacts } from "./workspace-effects.ts";

export const WORKSPACE_EFFECT_KINDS = [
  "CreateWorktree",
  "HoldTree",
  "FreeTree",
  "RunInTree",
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
  ran: Partial<Record<WorkspacePart, true>>;
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
  unready: { told: boolean } | null;
  /** When something of making it ready last worked. */
  readyAt: number;
  /** When a person last let the run go on, for pauses of its repository that it hears of only afterwards. */
  letGoAt: number | null;
}
