import { WATCH_GROUPS, type WatchEntry, type WatchGroup } from "../runs/watch-entry.ts";

/** How a run ended: `unverified` is completed on the agents' word alone. */
export const ENDS = ["completed", "unverified", "failed", "cancelled"] as const;
export type End = (typeof ENDS)[number];

export interface OverviewRun extends WatchEntry {
  /** Null while it has not ended. */
  readonly end: End | null;
}

export interface Overview {
  readonly counts: Readonly<Record<WatchGroup, number>>;
  readonly doneToday: Readonly<Record<End, number>>;
  /** The first of each group; of what is done, what has ended today. */
  readonly groups: Readonly<Record<WatchGroup, readonly OverviewRun[]>>;
}

const LISTED_MAX = 50;

/** All runs at one moment. `ended` says how those of today have ended. */
export function overviewOf(
  entries: readonly WatchEntry[],
  { day, ended }: { readonly day: string; readonly ended: ReadonlyMap<string, End> },
): Overview {
  const isOfToday = ({ group, since }: WatchEntry): boolean => group !== "done" || since.slice(0, 10) === day;
  const shown = entries.filter(isOfToday);
  const of = (group: WatchGroup): WatchEntry[] => shown.filter((entry) => entry.group === group);
  const doneToday = Object.fromEntries(ENDS.map((end) => [end, 0])) as Record<End, number>;
  for (const { run, status } of of("done")) doneToday[ended.get(run) ?? endOf(status)] += 1;
  const listed = (group: WatchGroup): OverviewRun[] =>
    of(group)
      .slice(0, LISTED_MAX)
      .map((entry) => ({
        ...entry,
        end: group === "done" ? (ended.get(entry.run) ?? endOf(entry.status)) : null,
      }));
  return {
    counts: byGroup((group) => of(group).length),
    doneToday,
    groups: byGroup(listed),
  };
}

const byGroup = <Value>(of: (group: WatchGroup) => Value): Record<WatchGroup, Value> =>
  Object.fromEntries(WATCH_GROUPS.map((group) => [group, of(group)])) as Record<WatchGroup, Value>;

export const endOf = (status: string): End =>
  status === "failed" ? "failed" : status === "cancelled" ? "cancelled" : "completed";
