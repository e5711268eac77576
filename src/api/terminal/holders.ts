/** Who has taken over which terminal of this server: one at a time, so that two do not type into each other's words. */
export interface Holders {
  /** Answers who holds it already; null where it is the asker's now. */
  take(session: string, holder: Holder): string | null;
  give(session: string, holder: Holder): void;
  of(session: string): string | null;
  /** Calls back whenever that changes. */
  watch(session: string, changed: () => void): () => void;
}

export interface Holder {
  readonly name: string;
}

export function holders(): Holders {
  const held = new Map<string, Holder>();
  const watching = new Map<string, Set<() => void>>();
  const notify = (session: string): void => watching.get(session)?.forEach((changed) => changed());
  return {
    take(session, holder) {
      const before = held.get(session);
      if (before !== undefined && before !== holder) return before.name;
      held.set(session, holder);
      notify(session);
      return null;
    },
    give(session, holder) {
      if (held.get(session) !== holder) return;
      held.delete(session);
      notify(session);
    },
    of: (session) => held.get(session)?.name ?? null,
    watch(session, changed) {
      const all = watching.get(session) ?? new Set();
      watching.set(session, all.add(changed));
      return () => {
        all.delete(changed);
        if (all.size === 0) watching.delete(session);
      };
    },
  };
}
