import { isFault, invariant } from "../../../model/fault.ts";
import { chainEvents, GENESIS } from "../../chain.ts";
import type { AppendOrder, AppendOutcome, Head } from "../../journal.ts";
import { appendValues, oneAppend, type LinkedOrder } from "./append-values.ts";
import type { AppendChange, ChangeOutcome } from "../append/commit-batch.ts";
import type { HeadMemory } from "../append/head-memory.ts";
import { toFault } from "../postgres-fault.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { checkedHead } from "./event-rows.ts";
import { sealed } from "./sealed.ts";
import { statement } from "../statements.ts";
import type { StoreAddress } from "../link/store-address.ts";
import type { Writer } from "../append/writer.ts";

/** The head that was remembered can be behind once; the one then looked up, only if somebody writes in between. */
const LINKS_MAX = 5;

export interface AppendRowsOptions {
  readonly writer: Writer;
  readonly memory: HeadMemory;
  readonly address: StoreAddress;
  readonly head: (run: string) => Promise<Head | null>;
}

/** Writes appends of different runs in one transaction; each has an outcome of its own. */
export function appendRows(
  options: AppendRowsOptions,
): (changes: readonly AppendChange[]) => Promise<ChangeOutcome[]> {
  const { address } = options;
  const appendAll = appendingLinked(options);
  const each = async (change: AppendChange): Promise<ChangeOutcome> => {
    try {
      const [outcome] = await appendAll([change]);
      invariant(outcome !== undefined, "every append has an outcome");
      return { kind: "done", value: outcome };
    } catch (thrown) {
      const error = toFault(thrown, "appending", address);
      if (isFault(error, "store_unavailable")) throw error;
      return { kind: "threw", error };
    }
  };
  return async (changes) => {
    if (changes.length > 1) {
      try {
        return (await appendAll(changes)).map((value) => ({ kind: "done", value }));
      } catch (thrown) {
        const error = toFault(thrown, "appending", address);
        if (isFault(error, "store_unavailable")) throw error;
      }
      // One of them cannot be written. Nothing of the batch was; alone, each gets what is its own.
    }
    const outcomes: ChangeOutcome[] = [];
    for (const change of changes) outcomes.push(await each(change));
    return outcomes;
  };
}

type AppendLinked = (changes: readonly AppendChange[]) => Promise<AppendOutcome[]>;

function appendingLinked({ writer, memory, head }: AppendRowsOptions): AppendLinked {
  const link = async ({ order, encoded }: AppendChange): Promise<LinkedOrder> => {
    const { run, expected, at, listing } = order;
    if (expected > 0 && memory.get(run)?.seq !== expected) await head(run);
    const known = memory.get(run);
    const fits = expected > 0 && known?.seq === expected;
    const before = fits ? known.hash : GENESIS;
    const goal = JSON.stringify(listing.goal);
    return {
      order,
      before,
      events: chainEvents({ seq: expected, hash: before }, { run, at }, encoded),
      goal: fits && known.goal === goal ? null : goal,
    };
  };

  const write = async (linked: readonly LinkedOrder[]): Promise<readonly Row[]> => {
    const all = (again: boolean) => statement("appendOrders", ...appendValues(linked, again));
    const [one] = linked;
    const isCommon = linked.length === 1 && one !== undefined && one.order.expected > 0;
    const { rows, again } = await writer.run((tries) =>
      isCommon && !tries.again ? statement("appendOne", ...oneAppend(one)) : all(tries.again),
    );
    return isCommon && rows.length === 0
      ? (await writer.run((tries) => all(again || tries.again))).rows
      : rows;
  };

  return async (changes) => {
    const outcomes = new Map<AppendChange, AppendOutcome>();
    let rest = changes;
    for (let links = 0; rest.length > 0; links += 1) {
      invariant(links < LINKS_MAX, "events can be linked to the head of their run");
      const linked = await Promise.all(rest.map(link));
      const rows = await write(linked);
      const verdicts = new Map(rows.map((row) => [integer(row, "ord"), row]));
      const unlinked: AppendChange[] = [];
      for (const [index, change] of rest.entries()) {
        const outcome = outcomeOf(linked[index], verdicts.get(index + 1));
        remember(memory, change.order, outcome);
        if (outcome === null) unlinked.push(change);
        else outcomes.set(change, outcome);
      }
      rest = unlinked;
    }
    return changes.map((change) => outcomes.get(change) ?? unjudged());
  };
}

/** Null if the events hang on something else than the run's head: they are to be linked again. */
function outcomeOf(linked: LinkedOrder | undefined, row: Row | undefined): AppendOutcome | null {
  if (linked === undefined || row === undefined) return unjudged();
  const verdict = text(row, "verdict");
  switch (verdict) {
    case "appended":
    case "mine": {
      const last = linked.events.at(-1);
      invariant(last !== undefined, "an append holds at least one event");
      return { kind: "appended", head: { seq: last.seq, hash: last.hash } };
    }
    case "fenced":
    case "conflict":
      return refusalIn(linked.order.run, verdict, row["found"] as Row);
    case "unlinked":
      return null;
    default:
      return unjudged();
  }
}

/** What was found is checked too: a damaged lease or head refuses nobody in silence. */
function refusalIn(run: string, kind: "fenced" | "conflict", found: Row): AppendOutcome {
  if (kind === "conflict") return { kind, head: found["seq"] === null ? null : checkedHead(run, found) };
  if (found["epoch"] === null) return { kind, currentEpoch: 0 };
  sealed.checkLease(run, found);
  return { kind, currentEpoch: integer(found, "epoch") };
}

function unjudged(): never {
  invariant(false, "the store checks every append");
}

function remember(memory: HeadMemory, { run, listing }: AppendOrder, outcome: AppendOutcome | null): void {
  if (outcome?.kind !== "appended") memory.forget(run);
  else memory.note(run, { ...outcome.head, goal: JSON.stringify(listing.goal) });
}
