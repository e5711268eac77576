import type { FetchedFacts, UploadedFacts } from "../effects/move-effects.ts";
import type { CommitState } from "./commit-state.ts";
import type { Effect } from "../effects/effects.ts";

type UploadEffect = Extract<Effect, { kind: "UploadFiles" }>;
type FetchEffect = Extract<Effect, { kind: "FetchFiles" }>;

/** An upload that is recorded: what another host can go on with. */
export interface Uploaded {
  readonly effect: UploadEffect;
  readonly facts: UploadedFacts;
  /** What was committed by then: what is committed later is not part of it. */
  readonly commit: CommitState;
}

/** Tries in a row that failed. */
interface Tries {
  failures: number;
  failure: string;
  /** The next one is made no sooner. */
  notBefore: number;
  /** Asked for so far, for the key of the next. */
  count: number;
}

/** The copies of a run's files on the shared remote. */
export interface UploadState extends Tries {
  /** The last that is recorded; null before the first. */
  last: Uploaded | null;
  /** What was committed when the last was asked for. */
  commit: CommitState | null;
  /** One that has ended and of which nothing was decided yet. */
  settled: { readonly effect: UploadEffect; readonly facts: UploadedFacts | null } | null;
  /** Bringing the last one to the host that has taken the run over. */
  fetch: Tries & {
    settled: { readonly effect: FetchEffect; readonly facts: FetchedFacts } | null;
  };
}

const noTries = (): Tries => ({ failures: 0, failure: "", notBefore: 0, count: 0 });

export const nothingUploaded = (): UploadState => ({
  ...noTries(),
  last: null,
  commit: null,
  settled: null,
  fetch: { ...noTries(), settled: null },
});
