import type { RunState } from "../../model/state/run-state.ts";
import { dayEndsAt, dayOf } from "../../model/text/utc-day.ts";
import type { DaySpent, StoreStop } from "../../model/host/store-resource.ts";
import { STORE_RESOURCE } from "../../model/host/resource-address.ts";
import { exceededText } from "../budget/amount-text.ts";

/** The last stop of the store that the run knows of. */
export const storeStopOf = ({ sharedResources: resources }: RunState): StoreStop | null =>
  resources[STORE_RESOURCE]?.news.stop ?? null;

export const isStoreStopped = (state: RunState): boolean => storeStopOf(state)?.startedAt === null;

/** The emergency brake is bounded: it leaves an agent that does not heed it no more time than this. */
const STOPPED_GRACE_MS = 3_000;

/** So long an agent has between the request to end and its firm end. */
export const endGraceMs = (state: RunState): number => {
  const { termGraceMs } = state.settings.startup;
  return isStoreStopped(state) ? Math.min(termGraceMs, STOPPED_GRACE_MS) : termGraceMs;
};

/** What keeps every session of the run from working, and until when; null for nothing. */
export interface StoreHold {
  readonly until: number;
  readonly why: string;
}

export function storeHold(state: RunState, now: number): StoreHold | null {
  if (isStoreStopped(state)) return { until: Infinity, why: "the store is stopped" };
  const why = dayExceeded(state, now);
  return why === null ? null : { until: dayEndsAt(now), why };
}

/** What all runs have spent today, as far as this one knows; null where there is no budget of the day. */
function dayKnown(state: RunState, now: number): DaySpent | null {
  const news = state.sharedResources[STORE_RESOURCE]?.news.day;
  if (news === undefined) return null;
  const today = dayOf(now);
  const { usd, tokens } = notIn(state, "arrived", today);
  const isToday = news.day === today;
  return {
    ...news,
    day: today,
    usd: (isToday ? news.usd : 0) + usd,
    tokens: (isToday ? news.tokens : 0) + tokens,
  };
}

/** What this run has spent today and has not reported yet, or what of it others do not know yet. */
export function notIn(
  { today }: RunState,
  part: "reported" | "arrived",
  day: string,
): { readonly usd: number; readonly tokens: number } {
  if (today.day !== day) return { usd: 0, tokens: 0 };
  return { usd: today.usd - today[part].usd, tokens: today.tokens - today[part].tokens };
}

function dayExceeded(state: RunState, now: number): string | null {
  const known = dayKnown(state, now);
  if (known === null) return null;
  for (const kind of ["usd", "tokens"] as const) {
    const ceiling = known.budget[kind];
    if (ceiling !== undefined && known[kind] >= ceiling)
      return `${exceededText(kind, known[kind], ceiling)} for all runs today (UTC)`;
  }
  return null;
}
