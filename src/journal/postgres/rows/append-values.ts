import type { StoredEvent } from "../../chain.ts";
import type { AppendOrder } from "../../journal.ts";
import { sealOfHead } from "./event-rows.ts";

/** An order whose events are linked to the end its writer knows of. */
export interface LinkedOrder {
  readonly order: AppendOrder;
  /** The hash that the first event is linked to. */
  readonly before: string;
  readonly events: readonly StoredEvent[];
  /** JSON text, or null if the store knows it already. */
  readonly goal: string | null;
}

/** What `append_one` takes. */
export function oneAppend({ order, before, events, goal }: LinkedOrder): unknown[] {
  const { run, expected, epoch, at, listing, consumed = [] } = order;
  const last = { seq: expected + events.length, hash: events.at(-1)?.hash ?? before };
  return [
    run,
    expected,
    epoch,
    at,
    before,
    sealOfHead(run, last, at),
    listing.status,
    listing.wakeAt,
    goal,
    events.map(({ type }) => type),
    events.map(({ hash }) => hash),
    events.map(({ data }) => data),
    consumed,
  ];
}

/**
 * What `append_orders` takes: rows of three kinds as JSON, orders numbered from 1. All text in them is either
 * checked (`checkText`) or JSON itself, so that nothing gets lost on the way.
 */
export function appendValues(linked: readonly LinkedOrder[], again: boolean): unknown[] {
  const orders = linked.map(({ order, before, events, goal }, index) => {
    const { run, expected, epoch, at, listing } = order;
    const last = { seq: expected + events.length, hash: events.at(-1)?.hash ?? before };
    return {
      ord: index + 1,
      run,
      expected,
      epoch,
      at,
      before,
      last_seq: last.seq,
      last_hash: last.hash,
      seal: sealOfHead(run, last, at),
      status: listing.status,
      wake_at: listing.wakeAt,
      goal,
    };
  });
  const news = linked.flatMap(({ events }, index) =>
    events.map(({ seq, type, hash, data }) => ({ ord: index + 1, seq, type, hash, data })),
  );
  const mails = linked.flatMap(({ order: { run, consumed = [] } }, index) =>
    consumed.map((id) => ({ ord: index + 1, address: run, id })),
  );
  return [JSON.stringify(orders), JSON.stringify(news), JSON.stringify(mails), again];
}
