import type { RunState } from "../model/run-state.ts";

const KINDS = ["tokens", "usd", "iterations", "timeMs"] as const;
type Kind = (typeof KINDS)[number];

/** What was used of each kind so far: total = left + spent, at every instant. */
function spentOf({ body, createdAt }: RunState, kind: Kind, now: number): number {
  if (kind === "timeMs") return Math.max(0, now - createdAt);
  return body?.spent[kind] ?? 0;
}

export function budgetLeft(state: RunState, now: number): Partial<Record<Kind, number>> {
  const left: Partial<Record<Kind, number>> = {};
  for (const kind of KINDS) {
    const total = state.budget[kind];
    if (total !== undefined) left[kind] = total - spentOf(state, kind, now);
  }
  return left;
}

/** The first kind of which nothing is left, or null. */
export function exhaustedKind(state: RunState, now: number): Kind | null {
  const left = budgetLeft(state, now);
  return KINDS.find((kind) => (left[kind] ?? 1) <= 0) ?? null;
}
