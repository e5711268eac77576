import type { Anchored } from "../model/events/anchored.ts";
import { errorText, Fault, isFault } from "../model/fault.ts";
import { elapsedMs, type World } from "../model/world.ts";
import type { AnchorFile } from "./anchor.ts";
import { checkRewriteOrder } from "./append-rules.ts";
import type { Damage, Head, Journal } from "./journal.ts";
import { scrubOf, scrubsOf } from "./scrub-records.ts";

/** Of the newest runs so many are looked at when a store is opened; `verify` looks at all that the anchor names. */
const LOOKED_AT_OPEN = 8;
/** Appends are noted in memory; the file is written this long after the first of them, once for all. */
const WRITE_AFTER_MS = 5_000;
/** Sooner after the end of a run; many that end together are written at once. */
const END_WRITE_AFTER_MS = 100;

/** An anchored event that the store does not hold. */
export interface Behind {
  readonly anchored: Anchored;
  /** The last event that the store holds of the run; 0 for a run that is not there. */
  readonly seq: number;
  /** Where the run's own journal says that it was rewritten since: who did, and in which event that stands. */
  readonly scrub?: { readonly by: string; readonly seq: number } | undefined;
}

/**
 * What the anchor names and the store does not hold. A run that was removed has left its lease, whose epoch is kept; of one
 * that was lost with a later part of the store nothing is left.
 */
export async function behindAnchor(journal: Journal, heads: readonly Anchored[]): Promise<Behind[]> {
  const behind: Behind[] = [];
  for (const anchored of heads)
    try {
      const found = await lastOf(journal, anchored);
      if (found !== null) behind.push({ anchored, seq: found, scrub: await scrubBehind(journal, anchored) });
    } catch (error) {
      // A damaged run is found and reported where it is read, and keeps nobody from the others.
      if (!isFault(error, "journal_damaged")) throw error;
    }
  return behind;
}

const scrubBehind = async (journal: Journal, { run, seq }: Anchored): Promise<Behind["scrub"]> => {
  const found = scrubOf(await scrubsOf(journal, run), seq);
  return found === undefined ? undefined : { by: found.by, seq: found.seq };
};

/** The last event of a run that does not hold what is anchored of it; null where it does, or was removed. */
async function lastOf(journal: Journal, { run, seq, hash, next }: Anchored): Promise<number | null> {
  const head = await journal.head(run);
  if (head === null) return (await journal.lease(run)) === null ? 0 : null;
  if (await holds(journal, run, { seq, hash })) return null;
  return next !== undefined && (await holds(journal, run, next)) ? null : head.seq;
}

async function holds(journal: Journal, run: string, { seq, hash }: Head): Promise<boolean> {
  const [event] = await journal.readStored(run, { after: seq - 1, limit: 1 });
  return event?.hash === hash;
}

const whatOf = ({ anchored: { run, seq, hash }, seq: found, scrub }: Behind): string =>
  found < seq
    ? `${run} had event ${String(seq)} (${hash.slice(0, 12)}), and ${found === 0 ? "is not there" : `ends at event ${String(found)}`}`
    : `event ${String(seq)} of ${run} was ${hash.slice(0, 12)}, and is another one now${
        scrub === undefined
          ? ""
          : ` (event ${String(scrub.seq)} says that ${scrub.by} removed a value with \`holdfast scrub\` on another host: accept that only if you know of it)`
      }`;

const rolledBack = (file: string, store: string, behind: readonly Behind[]): Fault => {
  const [first] = behind;
  const what = first === undefined ? "" : whatOf(first);
  return new Fault(
    "journal_damaged",
    `the store ${store} is older than its anchor ${file}: ${what}; nothing was changed — put the newer store back, or, if an older copy was restored on purpose, accept it: holdfast verify --accept-rollback`,
    { retry: "after-human", details: { anchor: file, position: first?.anchored, found: first?.seq } },
  );
};

export interface AnchorOptions {
  readonly anchor: AnchorFile;
  readonly store: string;
  readonly world: World;
  /** True for the one that is about to accept that the store is older: it is opened all the same. */
  readonly accept?: boolean;
}

/**
 * A journal whose newest events are anchored. Appending costs a note in memory. The anchor is written some seconds after the
 * first event that it does not name, at each end of a run, and when the journal is closed.
 */
export async function anchoredJournal(journal: Journal, options: AnchorOptions): Promise<Journal> {
  const { anchor, store, accept = false } = options;
  if (!accept) {
    const behind = await behindAnchor(journal, anchor.read().slice(0, LOOKED_AT_OPEN));
    if (behind.length > 0) throw rolledBack(anchor.file, store, behind);
  }
  const notes = accept ? nobodyNotes : noting(options);
  return {
    ...journal,
    async append(order) {
      const outcome = await journal.append(order);
      const { run, at, listing } = order;
      if (outcome.kind === "appended")
        notes.note({ run, seq: outcome.head.seq, hash: outcome.head.hash, at }, listing.status);
      return outcome;
    },
    async remove(order) {
      notes.drop(order.run);
      return journal.remove(order);
    },
    async rewrite(order) {
      const { run, head, at, events } = order;
      const last = checkRewriteOrder(order);
      notes.forget(run);
      if (!accept) anchor.put({ run, ...head, at, next: last });
      const outcome = await journal.rewrite(order);
      if (!accept && outcome.kind === "rewritten")
        anchor.put({ run, ...outcome.head, at: events.at(-1)?.at ?? at });
      return outcome;
    },
    async verify() {
      const damages = await journal.verify();
      const behind = accept || damages.length > 0 ? [] : await behindAnchor(journal, anchor.read());
      return [...damages, ...behind.map((one): Damage => damageOf(one, anchor.file))];
    },
    async close() {
      notes.close();
      await journal.close();
    },
  };
}

const damageOf = (one: Behind, file: string): Damage => ({
  run: one.anchored.run,
  seq: one.anchored.seq,
  what: `the store is older than its anchor ${file}: ${whatOf(one)}`,
});

interface Notes {
  note(head: Anchored, status: string): void;
  forget(run: string): void;
  drop(run: string): void;
  close(): void;
}

const nobodyNotes: Notes = {
  note: () => undefined,
  forget: () => undefined,
  drop: () => undefined,
  close: () => undefined,
};

const ENDS: readonly string[] = ["completed", "failed", "cancelled"];

function noting({ anchor, world }: AnchorOptions): Notes {
  const newest = new Map<string, Anchored>();
  let cancel: (() => void) | null = null;
  let dueAt = Infinity;
  /** An anchor that cannot be written stays behind, which is harmless: nothing that works waits for it. */
  const write = (dropped?: ReadonlySet<string>): void => {
    cancel?.();
    dueAt = Infinity;
    try {
      anchor.merge(newest.values(), dropped);
      newest.clear();
    } catch (error) {
      process.emitWarning(`the anchor ${anchor.file} cannot be written: ${errorText(error)}`);
    }
  };
  return {
    note(head, status) {
      newest.set(head.run, head);
      // The journals of what runs share say of themselves that they are completed.
      const isEnd = ENDS.includes(status) && !head.run.includes(":");
      const afterMs = isEnd ? END_WRITE_AFTER_MS : WRITE_AFTER_MS;
      if (elapsedMs(world) + afterMs >= dueAt) return;
      cancel?.();
      dueAt = elapsedMs(world) + afterMs;
      cancel = world.timer(afterMs, () => write());
    },
    forget: (run) => void newest.delete(run),
    drop(run) {
      newest.delete(run);
      write(new Set([run]));
    },
    close() {
      if (newest.size > 0) write();
      cancel?.();
    },
  };
}
