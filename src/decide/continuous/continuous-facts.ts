import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { ReadIntake } from "../../model/continuous/continuous-spec.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ChildFact } from "./child-fact.ts";

/** What a turn of a session goes by, besides what is recorded. */
export interface ContinuousFacts {
  readonly now: number;
  /** By run; one that does not exist yet is not among them. */
  readonly children: ReadonlyMap<string, ChildFact>;
  /** Why a run could not be created, by run. */
  readonly refused: ReadonlyMap<string, string>;
  /** Null where nobody has read it just now. */
  /** What became of tries at sending a digest, by the try. */
  readonly tried?: ReadonlyMap<
    string,
    { readonly kind: "delivered" | "failed"; readonly text: string; readonly terminal: boolean }
  >;
  readonly intake: ReadIntake | null;
}

export type ContinuousRule = (state: ContinuousState, facts: ContinuousFacts) => RunEvent[];
