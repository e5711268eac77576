import type { Pattern } from "./health.ts";
import type { TriageState } from "../effects/effect-outcome.ts";

/** Remedies for an agent that is stuck, lightest first. The order is the ladder. */
export const REMEDIES = [
  "warn",
  "nudge",
  "strategy",
  "restart",
  "restore",
  "helper",
  "other_agent",
  "operator",
  "external",
] as const;
export type Remedy = (typeof REMEDIES)[number];

/** `unclear`: the trouble is over, and nothing shows that this remedy ended it. */
export const REMEDY_OUTCOMES = ["helped", "unclear", "no_help", "not_applicable"] as const;
export type RemedyOutcome = (typeof REMEDY_OUTCOMES)[number];

/** Whether the trouble is over: what comes later is another one. */
export const isSettled = (outcome: RemedyOutcome | null): boolean =>
  outcome === "helped" || outcome === "unclear";

/** Where trouble comes from: what the agent does, or a provider that does not answer it or fails. */
export const CAUSES = ["agent", "provider"] as const;
export type Cause = (typeof CAUSES)[number];

/** What is wrong, and where it comes from. A rung lists the diagnoses that it can help. */
export interface Diagnosis {
  readonly pattern: Pattern;
  readonly cause: Cause;
}

/** How far up the ladder a step's trouble has come. It is left by proven progress, or by a person, and by nothing else. */
export interface LadderState {
  readonly pattern: Pattern;
  readonly openedAt: number;
  /** The last remedy, and which try of it. */
  readonly remedy: Remedy;
  readonly tryNumber: number;
  /** When the last remedy was really taken. */
  readonly takenAt: number;
  /** When it took effect: words have arrived, or the next session has begun. Null until then. */
  readonly effectAt: number | null;
  /** It takes effect with the next session. */
  readonly bySession: boolean;
  /** What else happened since it was taken that may be why the agent gets on; null where nothing did. */
  readonly meanwhile: string | null;
  /** Null while its effect is being watched. */
  readonly outcome: RemedyOutcome | null;
  /** The last remedy that was really taken: the ones after it could not be. */
  readonly taken: { readonly remedy: Remedy; readonly tryNumber: number };
  /** What an agent that was asked makes of it; null where none was. */
  readonly triage: TriageState | null;
  /** When it was said what became of it. */
  readonly decidedAt: number | null;
}
