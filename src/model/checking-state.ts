import type { OutputsReport } from "./artifact.ts";
import type { EndWord } from "./baseline.ts";
import type { Evidence } from "./evidence.ts";
import type { KeptProposal } from "./proposal.ts";
import type { ReviewReport } from "./review.ts";
import type { Joining } from "./step-tree.ts";

/** What Holdfast found when it ran the checks over the work of an attempt. */
export interface CheckingState {
  readonly attempt: string;
  readonly evidence: Evidence[];
  runs: number;
  unknowns: number;
  /** Whether the protected files were found as trusted by a look that began after the attempt had ended. */
  guarded: "no" | "looking" | "yes";
  /** What was found of the declared outputs; null before they were looked at. */
  outputs: OutputsReport | null;
  /** What its reviewers have said, and how often they were asked. */
  reviews: ReviewReport[];
  asked: number;
  looks: number;
  lookFailures: number;
  lookFailure: string;
  /** How its attempt ended, how many checkpoints had been asked for by then, and the digest of its files after it. */
  word: EndWord;
  since: number;
  tree: string | null;
  proposed: KeptProposal | null;
  joined: Joining | null;
}
