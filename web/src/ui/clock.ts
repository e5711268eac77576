import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** The time now, to the second; one timer serves the whole page. */
export const useNow = (): number => useSyncExternalStore(listen, () => now);

/** The same only as text of it: a row is drawn again when its words change, and not each second. */
export const useNowText = (text: (now: number) => string): string =>
  useSyncExternalStore(listen, () => text(now));
