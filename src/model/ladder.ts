import type { Pattern } from "./health.ts";
import type { TriageState } from "./triage.ts";

/** Remedies for an agent that is stuck, lightest first. The order is the ladder. */
export const REMEDIES = [
  "warn",
  "nudge",
  "strategy",
  "restart",
  "restore",
  "other_agent",
  "operator",
  "external",
] as const;
export type Remedy = (typeof REMEDIES)[number];

export const REMEDY_OUTCOMES = ["helped", "no_help", "not_applicable"] as const;
export type RemedyOutcome = (typeof REMEDY_OUTCOMES)[number];

/** How far up the ladder a step's trouble has come. It is left by proven progress, or by a person, and by nothing else. */
export interface LadderState {
  readonly pattern: Pattern;
  readonly openedAt: number;
  /** The last remedy, and which try of it. */
  readonly remedy: Remedy;
  readonly tryNumber: number;
  /** When the last remedy was really taken. */
  readonly takenAt: number;
  /** Null while its effect is being watched. */
  readonly outcome: RemedyOutcome | null;
  /** The last remedy that was really taken: the ones after it could not be. */
  readonly taken: { readonly remedy: Remedy; readonly tryNumber: number };
  /** What an agent that was asked makes of it; null where none was. */
  readonly triage: TriageState | null;
  /** When it was said what became of it. */
  readonly judgedAt: number | null;
}
