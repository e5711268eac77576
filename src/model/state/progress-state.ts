import type { CheckBefore } from "./baseline.ts";

/** What the run's files show of whether it gets on; known only where checkpoints are taken. */
export interface ProgressState {
  /** Of the files as the last checkpoint has them; null before the first. */
  digest: string | null;
  /** A step that was accepted with nothing to show but its files, which are yet to be kept: they tell. */
  unseen: { readonly step: string; readonly began: string } | null;
  /** What checks have shown of files that are yet to be kept. */
  shown: CheckBefore[];
  /** Steps accepted in a row that had nothing to show. */
  idle: string[];
}

export const noProgressYet = (): ProgressState => ({ digest: null, unseen: null, shown: [], idle: [] });
