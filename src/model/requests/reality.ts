import { unbound, type BoundState } from "../state/bound-tree.ts";
import type { Evidence } from "../effects/evidence.ts";

/** What Holdfast says of a run before it is completed. The default word is NEEDS WORK: the others take evidence. */
export const REALITY_VERDICTS = ["READY", "NEEDS WORK", "NOT READY"] as const;
export type RealityVerdict = (typeof REALITY_VERDICTS)[number];

/** The place of its checks among those that are run at gates. */
export const REALITY = "reality";

export interface RealityState {
  /** Null before it was assessed, and again when something is worked again. */
  verdict: RealityVerdict | null;
  why: string;
  /** What the evidence of the steps has shown when it was run again, in its order. */
  evidence: Evidence[];
  readonly bound: BoundState;
  /** Digest of the files that the verdict is about; null where they were not looked at. */
  digest: string | null;
  runs: number;
  unknowns: number;
  /** How often it was NOT READY since a person last had a say. */
  rounds: number;
  /** A person has let it go on although it is not READY. */
  accepted: boolean;
}

export const newReality = (): RealityState => ({
  verdict: null,
  why: "",
  evidence: [],
  bound: unbound(),
  digest: null,
  runs: 0,
  unknowns: 0,
  rounds: 0,
  accepted: false,
});
