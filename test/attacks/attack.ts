import type { ThreatId } from "./threats.ts";

/** Where the attack is carried out: with agents in a sandbox, without one, or where a sandbox makes no difference. */
export const LEVELS = ["any", "no sandbox", "sandbox"] as const;
export type Level = (typeof LEVELS)[number];

/**
 * What is promised against an attack.
 * - prevented: it never has its effect.
 * - detected: it may have its effect, and then this is recorded where people see it.
 */
export type Promised = "prevented" | "detected";

export interface Stage {
  /** How many variants to try: the attack's own number, the short one in `npm test`, or what --count says. */
  readonly count: number;
  readonly seed: number;
  /** An empty folder of this attack; it is removed afterwards. */
  readonly folder: string;
}

export interface Tried {
  readonly kind: "tried";
  readonly tried: number;
  /** How many had their effect, one sentence each: what was done, and what it did. */
  readonly succeeded: readonly string[];
  /** How many of those that had their effect were recorded. */
  readonly recorded: number;
}

/** This machine cannot test it. */
interface Skipped {
  readonly kind: "skipped";
  readonly reason: string;
}

/** Nothing promises it yet: it is listed and counted so that nobody takes it for tested. */
interface NotYet {
  readonly kind: "not yet";
  readonly reason: string;
}

export type Outcome = Tried | Skipped | NotYet;

/** A scripted attack. Files `*.attack.ts` below test/attacks export a list of them as `attacks`, and are found by name. */
export interface Attack {
  readonly threat: ThreatId;
  /** Who does what, as a sentence without a full stop. */
  readonly title: string;
  readonly level: Level;
  readonly promised: Promised;
  /** Variants in `npm run chaos:attacks` and in `npm test`; 1 where there is but one, 0 where another test has a few. */
  readonly count: { readonly full: number; readonly short: number };
  /** A throw is a failure of the attack's own stage, or of its control, and never a success of the defence. */
  run(stage: Stage): Promise<Outcome>;
}

export const tried = (count: number, succeeded: readonly string[] = [], recorded = 0): Tried => ({
  kind: "tried",
  tried: count,
  succeeded,
  recorded,
});
