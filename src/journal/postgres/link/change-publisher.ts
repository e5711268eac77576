/**
 * Notifies other handles that something changed.
 *
 * States: quiet, or resting after a notification; what changes meanwhile is notified once, at the end of the rest. A rest
 * is as short as it may be, and twice as long as the one before where something had changed in that one: with many
 * writers, notifications would otherwise be most of what the server commits. What somebody waits for ends a long rest.
 *
 * Notifying is apart from committing: within the transaction it would make all committers of the server queue up.
 * A handle that dies in between leaves the others to their own looking (`change-watch.ts`).
 */
export interface ChangePublisher {
  changed(how: "awaited" | "in passing"): void;
  /** Resolves once everything is notified. */
  close(): Promise<void>;
}

export interface Rests {
  readonly publishMs: number;
  readonly publishMsMax: number;
}

export function changePublisher(
  publish: () => Promise<unknown>,
  { publishMs, publishMsMax }: Rests,
): ChangePublisher {
  let resting: NodeJS.Timeout | null = null;
  let restMs = publishMs;
  let publishedAtMs = 0;
  let pending = false;
  let publishing: Promise<unknown> = Promise.resolve();

  const rest = (forMs: number): void => {
    if (resting !== null) clearTimeout(resting);
    resting = setTimeout(restOver, Math.max(0, forMs)).unref();
  };
  const publishNow = (): void => {
    pending = false;
    publishedAtMs = performance.now();
    rest(restMs);
    // A hint that did not arrive is no loss: watchers look for themselves every now and then.
    publishing = publish().catch((error: unknown) => error);
  };
  const restOver = (): void => {
    resting = null;
    restMs = pending ? Math.min(2 * restMs, publishMsMax) : publishMs;
    if (pending) publishNow();
  };

  return {
    changed(how) {
      if (resting === null) return publishNow();
      pending = true;
      if (how === "awaited" && restMs > publishMs) rest(publishedAtMs + publishMs - performance.now());
    },
    async close() {
      if (resting !== null) clearTimeout(resting);
      if (pending) publishNow();
      if (resting !== null) clearTimeout(resting);
      await publishing;
    },
  };
}
