import type { Fault } from "../../../model/fault.ts";
import { journalClosed, queueFull } from "../../seal.ts";
import type { Change, ChangeOutcome, CommitBatch } from "./commit-batch.ts";

/**
 * Group commit: while one change is on its way, others gather, and the appends among them share the next
 * transaction and its fsync.
 *
 * States: open → closed; within each idle, or committing with the rest queued. No timer is involved: a change that
 * finds the queue idle is sent as soon as anything else that can run without waiting has run.
 *
 * 1. A change is answered after the commit that holds it, never before.
 * 2. Changes are made in the order in which they were asked for.
 * 3. A change that is refused or throws leaves the others as they are. A server that stayed away too long fails
 *    all that is queued: they would each wait as long in vain.
 * 4. The queue and the batch are bounded (I7).
 */
export interface CommitQueue {
  submit<T>(change: Change): Promise<T>;
  /** Throws if the queue is closed: reading ends with it. */
  check(): void;
  /** Refuses what comes, waits for what is queued. */
  close(): Promise<void>;
}

/** A batch locks each of its runs, and the server has room for some thousands of locks of all its clients. */
const BATCH_CHANGES_MAX = 64;
const BATCH_CHARS_MAX = 8 * 1_024 * 1_024;
const QUEUED_CHANGES_MAX = 65_536;

interface Queued {
  readonly change: Change;
  readonly settle: (outcome: ChangeOutcome) => void;
}

export function commitQueue(commitBatch: CommitBatch): CommitQueue {
  const queue: Queued[] = [];
  let closed = false;
  let work: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      await momentForOthers();
      const batch = queue.splice(0, batchLength(queue));
      const result = await commitBatch(batch.map(({ change }) => change));
      if (result.kind === "server away")
        for (const { settle } of [...batch, ...queue.splice(0)]) settle(result.outcome);
      else for (const [index, outcome] of result.outcomes.entries()) batch[index]?.settle(outcome);
    }
    work = null;
  };
  const refusal = (): Fault | null => {
    if (closed) return journalClosed();
    return queue.length < QUEUED_CHANGES_MAX ? null : queueFull(QUEUED_CHANGES_MAX);
  };

  return {
    submit: <T>(change: Change) =>
      new Promise<T>((resolve, reject) => {
        const refused = refusal();
        if (refused !== null) throw refused;
        const settle = (outcome: ChangeOutcome): void => {
          if (outcome.kind === "done") resolve(outcome.value as T);
          else reject(outcome.error);
        };
        queue.push({ change, settle });
        work ??= flush();
      }),
    check() {
      if (closed) throw journalClosed();
    },
    async close() {
      closed = true;
      await work;
    },
  };
}

/** A microtask that waits for a tick runs after every microtask of now, those they cause included. */
const momentForOthers = (): Promise<void> =>
  new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/** Appends at the head of the queue go together, as long as no run comes twice; any other change goes alone. */
function batchLength(queue: readonly Queued[]): number {
  const runs = new Set<string>();
  let chars = 0;
  for (const { change } of queue) {
    if (change.kind !== "append" || runs.has(change.order.run) || runs.size === BATCH_CHANGES_MAX) break;
    for (const { data } of change.encoded) chars += data.length;
    if (chars > BATCH_CHARS_MAX) break;
    runs.add(change.order.run);
  }
  return Math.max(1, runs.size);
}
