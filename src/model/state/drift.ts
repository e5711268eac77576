import { z } from "zod";

/** Where a branch stands now, held against where it stood. */
export const headFactsSchema = z.object({
  /** Null where HEAD is on no branch. */
  branch: z.string().nullable(),
  /** Null where there is no repository, or nothing was committed yet. */
  commit: z.string().nullable(),
  /** How the commit stands to the one before: `forward` follows from it, `back` and `apart` do not. */
  relation: z.enum(["same", "forward", "back", "apart", "unknown"]),
  /** The first of the files that differ, and how many do. */
  files: z.array(z.string()),
  count: z.number().int(),
});
export type HeadFacts = z.infer<typeof headFactsSchema>;

/** What the base under a run's work is: the branch and commit that it builds on. */
export interface Base {
  readonly branch: string | null;
  readonly commit: string | null;
}

export const REISSUE_REASONS = [
  "drift",
  "ghost",
  "stale",
  "conflict",
  "rebinding",
  "authority",
  "baseline",
] as const;
export type ReissueReason = (typeof REISSUE_REASONS)[number];

export interface DriftState {
  /** Null before it was looked at. */
  base: Base | null;
  /** Looked at since an agent last began or ended, or a person had a say. */
  fresh: boolean;
  lookedAt: number;
  looks: number;
  failures: number;
  /** Attempts that may have moved it since it was last taken as it is. */
  movers: string[];
  /** The attempts that lived when the look under way began. */
  lookedWith: string[];
  /** What the last look has shown, as long as nothing was decided about it. */
  report: HeadFacts | null;
  /** What moved and was not settled yet. */
  found: HeadFacts | null;
}

export const newDrift = (): DriftState => ({
  base: null,
  fresh: false,
  lookedAt: 0,
  looks: 0,
  failures: 0,
  movers: [],
  lookedWith: [],
  report: null,
  found: null,
});
