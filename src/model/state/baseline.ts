import { z } from "zod";
import { idSchema } from "../ids.ts";
import type { Evidence } from "../effects/evidence.ts";

/** What a check has shown before anything of its step was begun. */
export interface CheckBefore {
  readonly command: string;
  readonly clean: boolean;
  readonly verdict: Evidence["verdict"];
  /** Set also where nothing was checked because there was nothing to run. */
  readonly exitCode: number | null;
}

/** How things stood before the first attempt of a step: what its checks showed, and its files (B4). */
export interface BaselineState {
  checks: CheckBefore[];
  runs: number;
  /** Runs whose outcome was not learnt. */
  failures: number;
  /** Digest of the files when the first attempt began; null where that is not known. */
  digest: string | null;
  begun: boolean;
}

export const newBaseline = (): BaselineState => ({
  checks: [],
  runs: 0,
  failures: 0,
  digest: null,
  begun: false,
});

/** What the success of a step with checks rests on. */
export const BASES = ["red_to_green", "changed", "nothing_to_do", "claim", "checks"] as const;
const basisSchema = z.enum(BASES);
export type Basis = z.infer<typeof basisSchema>;

/** What accepted work rests on. */
export const restsShape = {
  basis: basisSchema.optional(),
  /** Digest of the files that the evidence speaks of; absent where they were not looked at. */
  tree: idSchema.optional(),
};

/** How an attempt ended that claims no failure: with a claim, with the claim that nothing was to do, or in silence. */
export const END_WORDS = ["claimed", "nothing_to_do", "silent"] as const;
export type EndWord = (typeof END_WORDS)[number];
