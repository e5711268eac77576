import type { WorkspaceFacts, WorkspacePart, WorktreeFacts } from "../effects/workspace-effects.ts";

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
