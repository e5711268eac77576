import { useState } from "react";

const KEY = "holdfast.later";
const KEPT_MAX = 500;

type Later = Readonly<Record<string, number>>;

function stored(): Later {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const entries = typeof read === "object" && read !== null ? Object.entries(read) : [];
    const now = Date.now();
    return Object.fromEntries(
      entries.filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > now),
    );
  } catch {
    return {};
  }
}

export interface LaterItems {
  /** Until when an item is hidden; null where it is not. */
  readonly until: (key: string, now: number) => number | null;
  readonly hide: (key: string, until: number) => void;
  readonly show: (key: string) => void;
}

/** What a person does not want to see now, in this browser. The run waits as before, and nobody else is told. */
export function useLater(): LaterItems {
  const [later, setLater] = useState(stored);
  const keep = (next: Later): void => {
    const kept = Object.fromEntries(Object.entries(next).slice(-KEPT_MAX));
    setLater(kept);
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // A browser that keeps nothing hides it until the page is closed.
    }
  };
  return {
    until(key, now) {
      const at = later[key] ?? 0;
      return at > now ? at : null;
    },
    hide: (key, until) => keep({ ...later, [key]: until }),
    show: (key) => keep(Object.fromEntries(Object.entries(later).filter(([one]) => one !== key))),
  };
}

const H = 3_600_000;
const MORNING_HOUR = 9;

export const LATER = ["1h", "4h", "tomorrow"] as const;
export type LaterName = (typeof LATER)[number];

export function laterTime(name: LaterName, now: number): number {
  if (name === "1h") return now + H;
  if (name === "4h") return now + 4 * H;
  const morning = new Date(now);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(MORNING_HOUR, 0, 0, 0);
  return morning.getTime();
}
