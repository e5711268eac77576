import type { RunEvent } from "../../model/events/events.ts";
import type { FinishedWork } from "../../model/mission/mission-events.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import type { ChildFact } from "../continuous/child-fact.ts";

/** What a mission reads of the run of a workstream. */
export interface WorkFact extends ChildFact {
  /** The last event of its journal. */
  readonly seq: number;
  /** What it has come to; null while it is not completed. */
  readonly work: FinishedWork | null;
  /** The last acceptance of its work, and the last refusal since the event after which it was asked. */
  readonly accepted: {
    readonly commit: string;
    readonly into: string;
    readonly how: "fast_forward" | "merge" | "already";
  } | null;
  readonly refusal: string | null;
}

/** What a repository says. */
export interface RepositoryFact {
  /** Null: it is not there, or no repository any more. */
  readonly stand: { readonly branch: string | null; readonly commit: string | null } | null;
  readonly dirty: readonly string[];
  /** Whether its branch still holds the commit that the mission began with. */
  readonly keepsBase: boolean;
  /** What would become of work that is done, by workstream, in the order of acceptance. */
  readonly work: Readonly<Record<string, RehearsedWork>>;
  /** Another mission that is at work in it. */
  readonly otherOwner: string | null;
}

export interface RehearsedWork {
  readonly how: "already" | "fast_forward" | "merge" | "conflict" | "missing";
  readonly files: readonly string[];
}

/** What a turn of a mission goes by, besides what is recorded. */
export interface MissionFacts {
  readonly now: number;
  /** By run; one that does not exist yet is not among them. */
  readonly children: ReadonlyMap<string, WorkFact>;
  /** Why a run could not be created, by run. */
  readonly refused: ReadonlyMap<string, string>;
  /** By name; null where nobody has looked just now. */
  readonly repositories: ReadonlyMap<string, RepositoryFact> | null;
}

export type MissionRule = (state: MissionState, facts: MissionFacts) => RunEvent[];
