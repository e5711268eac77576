import { isFault } from "../../../model/fault.ts";
import type { World } from "../../../model/world.ts";
import type { EncodedEvent } from "../../chain.ts";
import type { AppendOrder } from "../../journal.ts";
import { toFault } from "../postgres-fault.ts";
import type { StoreAddress } from "../link/store-address.ts";

export interface AppendChange {
  readonly kind: "append";
  readonly order: AppendOrder;
  readonly encoded: readonly EncodedEvent[];
}

/** A change that is a transaction of its own. */
export interface LoneChange {
  readonly kind: "alone";
  /** Names its crash points, `journal.<point>.before` and `.after`; null for a change nobody counts on. */
  readonly point: string | null;
  work(): Promise<unknown>;
}

export type Change = AppendChange | LoneChange;

/** Whether somebody may wait for what was committed, or whether it only goes on; what nobody sees is of no kind. */
export type Committed = "awaited" | "in passing" | "unseen";

const UNSEEN: readonly (string | null)[] = [null, "blobs", "snapshot"];

function howCommitted(changes: readonly Change[]): Committed {
  const [first] = changes;
  // The one that asked waits for the append that answers.
  if (first?.kind !== "alone")
    return changes.some((one) => one.kind === "append" && (one.order.consumed ?? []).length > 0)
      ? "awaited"
      : "in passing";
  return UNSEEN.includes(first.point) ? "unseen" : "awaited";
}

type Threw = { readonly kind: "threw"; readonly error: Error };
export type ChangeOutcome = { readonly kind: "done"; readonly value: unknown } | Threw;

export type BatchResult =
  /** `outcomes[i]` belongs to the i-th change. */
  | { readonly kind: "done"; readonly outcomes: readonly ChangeOutcome[] }
  /** The server stayed away for too long, for everything that is asked of it. */
  | { readonly kind: "server away"; readonly outcome: Threw };

export type CommitBatch = (changes: readonly Change[]) => Promise<BatchResult>;

const pointOf = (change: Change): string | null => (change.kind === "append" ? "append" : change.point);

/** Makes the changes of a batch, all appends or a single other one, between their crash points. */
export function batchCommitter(options: {
  readonly world: World;
  readonly address: StoreAddress;
  readonly appendAll: (changes: readonly AppendChange[]) => Promise<ChangeOutcome[]>;
  /** Called after each commit, before its changes are answered. */
  readonly committed: (how: Committed) => void;
}): CommitBatch {
  const { world, address, appendAll, committed } = options;
  const make = async (changes: readonly Change[]): Promise<ChangeOutcome[]> => {
    const [first] = changes;
    if (first?.kind === "alone") return [{ kind: "done", value: await first.work() }];
    return appendAll(changes.filter((change) => change.kind === "append"));
  };
  return async (changes) => {
    const points = new Set(changes.map(pointOf).filter((point) => point !== null));
    try {
      for (const point of points) world.crashPoint(`journal.${point}.before`);
      const outcomes = await make(changes);
      for (const point of points) world.crashPoint(`journal.${point}.after`);
      committed(howCommitted(changes));
      return { kind: "done", outcomes };
    } catch (thrown) {
      const outcome: Threw = { kind: "threw", error: toFault(thrown, "writing", address) };
      if (isFault(outcome.error, "store_unavailable")) return { kind: "server away", outcome };
      return { kind: "done", outcomes: changes.map(() => outcome) };
    }
  };
}
