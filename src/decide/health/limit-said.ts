import type { AttemptState } from "../../model/state/run-state.ts";

/** The limit that an attempt has met last, by a signal or by its words, with no work since; null for none. */
export function limitBefore({ health }: Pick<AttemptState, "health">): {
  readonly text: string;
  readonly until: number | null;
} | null {
  const { limit, lastLimit, limitSaid } = health;
  const said = limitSaid === null ? null : { text: limitSaid.line, until: limitSaid.until };
  return limit ?? lastLimit ?? said;
}
