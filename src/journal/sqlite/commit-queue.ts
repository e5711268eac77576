import { Fault, isFault } from "../../model/fault.ts";
import { journalClosed } from "../seal.ts";
import type { Change, ChangeOutcome, CommitBatch } from "./commit-batch.ts";
import { commitMoment } from "./commit-moment.ts";

/**
 * Group commit: changes asked for in one turn of the event loop share one transaction and one fsync.
 *
 * States: open → poisoned (the disk refused a write or a sync) → closed; or open → closed. Idle when nothing is
 * queued; otherwise exactly one flush is due. No timer is involved: a lone change is committed at once, and after a
 * batch of several, or a few commits in a row, at the end of the turn of the event loop (see `commit-moment.ts`).
 *
 * 1. A change is answered after the commit that holds it, never before.
 * 2. A change that is refused or throws leaves the others of its batch as they are.
 * 3. After a failed write or sync nothing more is tried on this connection (never retry an fsync and go on): what
 *    is queued and what comes later is refused with the same fault until the store is reopened. A full disk that
 *    SQLite calls so is no such failure: its batch is undone, and the next may succeed.
 * 4. The queue and the batch are bounded (I7).
 */
export interface CommitQueue {
  submit<T>(point: string | null, work: () => T): Promise<T>;
  /** Throws if the queue is poisoned or closed: reading ends with it. */
  check(): void;
  /** Refuses what comes, waits for what is queued. */
  close(): Promise<void>;
}

const BATCH_CHANGES_MAX = 512;
const QUEUED_CHANGES_MAX = 65_536;

interface Queued extends Change {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface CommitQueueOptions {
  readonly commitBatch: CommitBatch;
  /** Called after each committed batch, before its changes are answered. */
  readonly committed: () => void;
  /** Told of what poisons the queue; answers what it is to be called. */
  readonly poisoned?: (fault: Fault) => Fault;
}

export function commitQueue(options: CommitQueueOptions): CommitQueue {
  let queue: Queued[] = [];
  let poison: Fault | null = null;
  let closed = false;
  let drained: (() => void) | null = null;

  const moment = commitMoment();
  const flush = (): void => {
    const batch = queue;
    queue = batch.length > BATCH_CHANGES_MAX ? batch.splice(BATCH_CHANGES_MAX) : [];
    moment.committed(batch.length);
    const result = poison === null ? carryOut(options, batch) : { outcomes: failAll(batch, poison), poison };
    poison = result.poison;
    settleAll(batch, result.outcomes);
    if (queue.length > 0) moment.choose(flush);
    else drained?.();
  };
  const refusal = (): Fault | null => {
    if (closed) return journalClosed();
    if (poison !== null) return poison;
    return queue.length < QUEUED_CHANGES_MAX ? null : queueFull();
  };

  return {
    submit: <T>(point: string | null, work: () => T) =>
      new Promise<T>((resolve, reject) => {
        const refused = refusal();
        if (refused !== null) throw refused;
        const settle = resolve as (value: unknown) => void;
        if (queue.push({ point, work, resolve: settle, reject }) === 1) moment.choose(flush);
      }),
    check() {
      if (closed) throw journalClosed();
      if (poison !== null) throw poison;
    },
    close() {
      closed = true;
      if (queue.length === 0) return Promise.resolve();
      return new Promise((resolve) => (drained = resolve));
    },
  };
}

/** By index, without a closure for each: this stands between a commit and whoever waits for it. */
function settleAll(batch: readonly Queued[], outcomes: readonly ChangeOutcome[]): void {
  for (let index = 0; index < batch.length; index += 1) {
    const outcome = outcomes[index];
    if (outcome?.kind === "done") batch[index]?.resolve(outcome.value);
    else if (outcome !== undefined) batch[index]?.reject(outcome.error);
  }
}

interface BatchEnd {
  readonly outcomes: readonly ChangeOutcome[];
  /** Why nothing more may be tried on this connection. */
  readonly poison: Fault | null;
}

function carryOut(options: CommitQueueOptions, batch: readonly Queued[]): BatchEnd {
  const { commitBatch, committed, poisoned = asItIs } = options;
  const result = commitBatch(batch);
  if (result.kind === "failed") {
    const poison = isFault(result.error, "store_failed") ? poisoned(result.error) : null;
    return { outcomes: failAll(batch, poison ?? result.error), poison };
  }
  try {
    committed();
    return { outcomes: result.outcomes, poison: null };
  } catch (error) {
    if (!isFault(error)) throw error;
    // What was committed is answered as such, whatever failed after it.
    return { outcomes: result.outcomes, poison: poisoned(error) };
  }
}

const asItIs = (fault: Fault): Fault => fault;

const failAll = (batch: readonly Queued[], error: Error): ChangeOutcome[] =>
  batch.map(() => ({ kind: "threw", error }));

const queueFull = (): Fault =>
  new Fault(
    "store_busy",
    `${String(QUEUED_CHANGES_MAX)} changes wait for the store already, as many as may; wait for answers before asking for more`,
    { retry: "later" },
  );
