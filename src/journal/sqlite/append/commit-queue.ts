import type { Fault } from "../../../model/fault.ts";
import { isFault, invariant } from "../../../model/fault.ts";
import { journalClosed, queueFull } from "../../seal.ts";
import type { Alone, BatchResult, Change, ChangeOutcome, CommitAlone, CommitBatch } from "./commit-batch.ts";
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
  /**
   * The same for a change that can be a transaction of its own, `alone`, where no other waits; that one answers null
   * if it wrote nothing and has to be done inside a transaction.
   */
  submitLone<T>(point: string, work: () => T, alone: Alone<T>): Promise<T>;
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
  /** The change as a transaction of its own, where it can be one. */
  readonly alone?: Alone<unknown> | undefined;
}

export interface CommitQueueOptions {
  readonly commitBatch: CommitBatch;
  readonly commitAlone: CommitAlone;
  /** Called after each committed batch, before its changes are answered. */
  readonly committed: () => void;
  /** Called with what poisons the queue; answers what it is to be called. */
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
    const end =
      poison === null
        ? concluded(options, commitAll(options, batch), batch.length)
        : { outcomes: failAll(batch.length, poison), poison };
    poison = end.poison;
    settleAll(batch, end.outcomes);
    if (queue.length > 0) moment.choose(flush);
    else drained?.();
  };
  const refusal = (): Fault | null => {
    if (closed) return journalClosed();
    if (poison !== null) return poison;
    return queue.length < QUEUED_CHANGES_MAX ? null : queueFull(QUEUED_CHANGES_MAX);
  };

  const submit = <T>(point: string | null, work: () => T, alone?: Alone<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const refused = refusal();
      if (refused !== null) throw refused;
      const settle = resolve as (value: unknown) => void;
      if (queue.push({ point, work, alone, resolve: settle, reject }) === 1) moment.choose(flush);
    });

  return {
    submit: (point, work) => submit(point, work),
    submitLone(point, work, alone) {
      if (queue.length > 0 || closed || poison !== null || !moment.isNow()) return submit(point, work, alone);
      const result = options.commitAlone(point, alone);
      if (result === null) return submit(point, work);
      moment.committed(1);
      const end = concluded(options, result, 1);
      poison = end.poison;
      return settled(end.outcomes[0]);
    },
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

function commitAll({ commitAlone, commitBatch }: CommitQueueOptions, batch: readonly Queued[]): BatchResult {
  const [only] = batch;
  if (batch.length > 1 || only?.alone === undefined || only.point === null) return commitBatch(batch);
  return commitAlone(only.point, only.alone) ?? commitBatch(batch);
}

/** By index, without a closure for each: this stands between a commit and the one that waits for it. */
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

function concluded(options: CommitQueueOptions, result: BatchResult, changes: number): BatchEnd {
  const { committed, poisoned = asItIs } = options;
  if (result.kind === "failed") {
    const poison = isFault(result.error, "store_failed") ? poisoned(result.error) : null;
    return { outcomes: failAll(changes, poison ?? result.error), poison };
  }
  try {
    committed();
    return { outcomes: result.outcomes, poison: null };
  } catch (error) {
    if (!isFault(error)) throw error;
    // What was committed is answered as such, no matter what failed after it.
    return { outcomes: result.outcomes, poison: poisoned(error) };
  }
}

const asItIs = (fault: Fault): Fault => fault;

const failAll = (changes: number, error: Error): ChangeOutcome[] =>
  Array.from({ length: changes }, () => ({ kind: "threw", error }));

function settled<T>(outcome: ChangeOutcome | undefined): Promise<T> {
  invariant(outcome !== undefined, "every change of a batch has an outcome");
  return outcome.kind === "done" ? Promise.resolve(outcome.value as T) : Promise.reject(outcome.error);
}
