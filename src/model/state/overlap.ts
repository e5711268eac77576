import { z } from "zod";

/** Another run's work in the same repository that has changed the same files. */
export const overlapPeerSchema = z.object({
  run: z.string(),
  /** When its worktree was made: of two the one that began later gives way. */
  since: z.number(),
  /** The first of the files that both have changed, and how many they are. */
  files: z.array(z.string()),
  count: z.number().int(),
});
export type OverlapPeer = z.infer<typeof overlapPeerSchema>;

export const overlapFactsSchema = z.object({
  /** How many files the run itself has changed. */
  own: z.number().int(),
  peers: z.array(overlapPeerSchema),
});
export type OverlapFacts = z.infer<typeof overlapFactsSchema>;

export interface OverlapState extends OverlapFacts {
  peers: OverlapPeer[];
  own: number;
  /** When the run's worktree was made. */
  since: number;
  /** The snapshot that the run's changes are counted from; null before there is one. */
  base: string | null;
  /** The snapshot that was last reported to others, or that could not be reported. */
  notified: string | null;
  looks: number;
  lookedAt: number;
  /** What the last look has shown, as long as nothing was decided about it. */
  report: OverlapFacts | null;
  /** Runs whose overlap was counted since the work was last given out. */
  counted: string[];
  /** The work is redone; what overlaps once it is done counts again. */
  again: boolean;
}

export const noOverlap = (): OverlapState => ({
  peers: [],
  own: 0,
  since: 0,
  base: null,
  notified: null,
  looks: 0,
  lookedAt: 0,
  report: null,
  counted: [],
  again: false,
});
