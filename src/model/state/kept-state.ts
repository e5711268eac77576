import type { Artifact } from "../effects/artifact.ts";
import type { CheckpointCause, RestoredFacts, SnapshotFacts } from "../effects/checkpoint.ts";
import type { Effect } from "../effects/effects.ts";
import type { BindingState } from "../flow/bindings.ts";
import type { GuardReport, Tampering } from "../flow/protected.ts";
import type { ProposalsState } from "../requests/proposal.ts";
import type { SealsState } from "../requests/seal.ts";
import type { CheckBefore } from "./baseline.ts";
import type { ConflictState } from "./conflict.ts";
import type { DriftState } from "./drift.ts";
import type { OverlapState } from "./overlap.ts";
import type { UploadState } from "./upload-state.ts";

/** A checkpoint that the run can be put back to. */
export interface CheckpointState {
  readonly id: string;
  readonly cause: CheckpointCause;
  readonly tree: string;
  /** Whose store keeps it. */
  readonly project: string;
  readonly snapshot: SnapshotFacts;
  readonly at: number;
  /** Where it stands in the journal: what was done by then is done there. */
  readonly seq: number;
  readonly note: string | null;
  /** The conversations of the steps that were not done. */
  readonly conversations: Record<string, { readonly agent: string; readonly id: string }>;
}

/** The protected files of one tree. */
export interface GuardState {
  /** Digest of the list of what is trusted; null before the first look. */
  trusted: string | null;
  checkedAt: number;
  /** They were found as trusted, and no agent was started since. */
  fresh: boolean;
  /** The attempts that may have changed them since they were last looked at. */
  exposedTo: string[];
  /** The attempts that lived when the look under way began: what they do meanwhile it may not see. */
  lookedWith: string[];
  /** What the last look has shown, as long as nothing was decided about it. */
  report: GuardReport | null;
  /** Looks in a row that failed, and why. */
  failures: number;
  lastFailure: string;
  /** Looks that found something since a person last had a say. */
  found: number;
  /** A person wants them brought back, no matter who changed them. */
  bringBack: boolean;
  /** Something there may have changed since the last look began. */
  stirred: boolean;
  /** What was found in the place of protected files beside agents at work, and undone: it is kept. The last of each. */
  withdrawn: WithdrawnFile[];
}

/** A protected file that was made or changed while agents worked, by whom is not known. */
export interface WithdrawnFile {
  readonly path: string;
  readonly act: Tampering["act"];
  /** Digest of the bytes, which are kept. */
  readonly found: string;
  readonly at: number;
}

/** The part of a run's state that concerns the files its agents work on. */
export interface KeptState {
  /** Bounds that were reached, the last of each kind; absent where none was. */
  reached?: readonly { readonly what: string; readonly bound: number; readonly detail: string }[];
  progress: ProgressState;
  /** What checks have shown of trees, by digest; and steps whose checks were run before their first attempt, which is to come. */
  baselines: Record<string, CheckBefore[]>;
  baselined: string[];
  proposals: ProposalsState;
  checkpoints: Record<string, CheckpointState>;
  /** Checkpoints ever asked for, by whomever: the next one's number is this plus one. */
  checkpointed: number;
  /** Nothing has begun or ended since the last checkpoint was begun. */
  saved: boolean;
  /** Nothing has begun or ended since the checkpoint under way was begun. */
  saving: boolean;
  /** A step was done since the last checkpoint was begun. */
  unsavedStep: boolean;
  savedAt: number;
  /** A snapshot that was taken and of which nothing was decided yet. */
  taken: {
    readonly effect: Extract<Effect, { kind: "TakeCheckpoint" }>;
    readonly snapshot: SnapshotFacts;
  } | null;
  /** Tries in a row at keeping or restoring files that failed, and why. */
  keepFailures: number;
  keepFailure: string;
  /** The checkpoint that the run is to be put back to. */
  restoring: {
    readonly checkpoint: string;
    /** What is there now is a checkpoint too. */
    kept: boolean;
    facts: RestoredFacts | null;
    /** The step that it is a remedy for; null where a person wants it. */
    readonly step: string | null;
    /** Set where it is what steps without authority to write have changed. */
    readonly putBack?: true;
  } | null;
  /** The checkpoint of before steps that may not write began: their changes are put back to it. */
  readSince: string | null;
  restores: number;
  /** Let go, and not known to be freed yet. */
  releasing: { readonly checkpoint: string; readonly project: string }[];
  releases: number;
  releaseFailures: number;
  /** Who gave a step to whom, and why; the last of them. */
  handOvers: {
    readonly step: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly at: number;
  }[];
  /** Sessions of ended attempts that may have left processes behind; they are ended before evidence is taken. */
  leftovers: string[];
  /** Snapshots that hold what evidence was taken of: whose store keeps each, by key. */
  seen: Record<string, string>;
  /** Agents that may not write in the real tree, and what was found of them. */
  seals: SealsState;
  /** Protected files, by tree. */
  guards: Record<string, GuardState>;
  drift: DriftState;
  conflict: ConflictState;
  overlap: OverlapState;
  binding: BindingState;
  /** What steps have delivered, by step. */
  artifacts: Record<string, readonly Artifact[]>;
  /** Copies on the remote that hosts share. */
  upload: UploadState;
  /** Looks at protected files so far, for the key of the next. */
  guardChecks: number;
}

/** What the run's files show of whether it gets on; known only where checkpoints are taken. */
interface ProgressState {
  /** Of the files as the last checkpoint has them; null before the first. */
  digest: string | null;
  /** A step that was accepted with nothing to show but its files, which are yet to be kept: they show. */
  unseen: { readonly step: string; readonly began: string } | null;
  /** What checks have shown of files that are yet to be kept. */
  shown: CheckBefore[];
  /** Steps accepted in a row that had nothing to show. */
  idle: string[];
}

export const noProgressYet = (): ProgressState => ({ digest: null, unseen: null, shown: [], idle: [] });
