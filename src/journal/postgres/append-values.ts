import type { StoredEvent } from "../chain.ts";
import type { AppendOrder } from "../journal.ts";
import { sealOfHead } from "./run-rows.ts";

/** An order whose events are linked to the end its writer knows of. */
export interface LinkedOrder {
  readonly order: AppendOrder;
  /** The hash that the first event is linked to. */
  readonly before: string;
  readonly events: readonly StoredEvent[];
  /** JSON text, or null if the store knows it already. */
  readonly goal: string | null;
}

/** What `append_orders` takes: one array per column, orders numbered from 1. */
export function appendValues(linked: readonly LinkedOrder[], again: boolean): unknown[] {
  const perOrder = linked.map(({ order, before, events, goal }) => {
    const { run, expected, epoch, at, listing } = order;
    const head = { seq: expected + events.length, hash: events.at(-1)?.hash ?? before };
    const seal = sealOfHead(run, head, at);
    return [
      run,
      expected,
      epoch,
      at,
      before,
      head.seq,
      head.hash,
      seal,
      listing.status,
      listing.wakeAt,
      goal,
    ];
  });
  const perEvent = linked.flatMap(({ events }, index) =>
    events.map(({ seq, type, hash, data }) => [index + 1, seq, type, hash, data]),
  );
  const perMail = linked.flatMap(({ order }, index) => (order.consumed ?? []).map((id) => [index + 1, id]));
  return [...columns(perOrder, 11), ...columns(perEvent, 5), ...columns(perMail, 2), again];
}

const columns = (rows: readonly (readonly unknown[])[], count: number): unknown[][] =>
  Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
