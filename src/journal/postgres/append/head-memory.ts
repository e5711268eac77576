/**
 * What this handle last saw at the end of each run, so that an append need not ask for it first. It may be out of
 * date at any time: the store compares, and refuses events that are linked to anything but the run's head.
 */
export interface HeadMemory {
  get(run: string): KnownEnd | undefined;
  /** An end further on than the one known replaces it. */
  note(run: string, end: KnownEnd): void;
  forget(run: string): void;
}

export interface KnownEnd {
  readonly seq: number;
  readonly hash: string;
  /** The goal in the run's listing as of this event, or null if it is not known; saves sending it again. */
  readonly goal: string | null;
}

const ENDS_MAX = 4_096;

export function headMemory(): HeadMemory {
  const ends = new Map<string, KnownEnd>();
  return {
    get: (run) => ends.get(run),
    note(run, end) {
      if ((ends.get(run)?.seq ?? 0) >= end.seq) return;
      if (ends.size >= ENDS_MAX) ends.clear();
      ends.set(run, end);
    },
    forget: (run) => void ends.delete(run),
  };
}
