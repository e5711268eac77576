/**
 * Tells other handles that something changed.
 *
 * States: quiet, or resting for `tellMs` after telling; what changes meanwhile is told once at the end of the rest.
 * Telling is apart from committing: within the transaction it would make all committers of the server queue up.
 * A handle that dies in between leaves the others to their own looking (`change-watch.ts`).
 */
export interface ChangePublisher {
  changed(): void;
  /** Resolves once everything is told. */
  close(): Promise<void>;
}

export function changePublisher(tell: () => Promise<unknown>, tellMs: number): ChangePublisher {
  let resting: NodeJS.Timeout | null = null;
  let pending = false;
  let telling: Promise<unknown> = Promise.resolve();

  const tellNow = (): void => {
    pending = false;
    resting = setTimeout(() => {
      resting = null;
      if (pending) tellNow();
    }, tellMs).unref();
    // A hint that did not arrive is no loss: watchers look for themselves every now and then.
    telling = tell().catch((error: unknown) => error);
  };

  return {
    changed() {
      if (resting === null) tellNow();
      else pending = true;
    },
    async close() {
      if (resting !== null) clearTimeout(resting);
      if (pending) tellNow();
      if (resting !== null) clearTimeout(resting);
      await telling;
    },
  };
}
