import type { HealthName, Pattern, WaitFor } from "./health.ts";

/** The last word about a session's health; it changes only with what it says. */
export interface Assessed {
  readonly state: HealthName;
  readonly pattern: Pattern | null;
  readonly evidence: readonly string[];
  readonly confidence: number;
  readonly waitsFor: WaitFor | null;
  readonly until: number | null;
  readonly since: number;
}
