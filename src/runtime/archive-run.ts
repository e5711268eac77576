import type { Head, Journal, RemoveOutcome } from "../journal/journal.ts";
import { Fault } from "../model/fault.ts";
import { ENDED_STATUSES, isEnded, notEnded } from "../model/state/run-status.ts";
import type { Leases } from "./leases.ts";
import { loadKnownRun } from "./load-run.ts";

/** Writes a run to where it is kept, checks what was written, and answers where that is. */
export type KeepRun = (order: { readonly run: string; readonly head: Head }) => Promise<string>;

export interface ArchivedRun {
  readonly run: string;
  readonly file: string;
  readonly events: number;
}

/** Takes an ended run out of the store, once it is kept elsewhere; it is owned meanwhile, so that nobody wakes it. */
export async function archiveRun(
  { journal, leases }: { readonly journal: Journal; readonly leases: Leases },
  run: string,
  keep: KeepRun,
): Promise<ArchivedRun> {
  const taken = await leases.take(run);
  if (taken.kind === "held") throw refused(run, "another process runs it; wait, or see `holdfast status`");
  let removed = false;
  try {
    const head = await archivable(journal, run);
    const file = await keep({ run, head });
    const outcome = await journal.remove({ run, seq: head.seq, hash: head.hash, epoch: taken.epoch });
    if (outcome.kind !== "removed") throw refused(run, whyNot(outcome));
    removed = true;
    return { run, file, events: head.seq };
  } finally {
    if (!removed) await leases.release(run, taken.epoch);
  }
}

async function archivable(journal: Journal, run: string): Promise<Head> {
  const { status } = await loadKnownRun(journal, run);
  if (!isEnded(status)) throw notEnded(run, status);
  if ((await journal.inbox(run)).length > 0) throw refused(run, whyNot({ kind: "asked" }));
  const head = await journal.head(run);
  if (head === null) throw refused(run, "it was removed meanwhile");
  return head;
}

const whyNot = (outcome: Exclude<RemoveOutcome, { kind: "removed" }>): string => {
  switch (outcome.kind) {
    case "asked":
      return "somebody asked something of it that is not answered yet";
    case "conflict":
      return "it went on meanwhile";
    case "fenced":
      return "somebody else took it meanwhile";
  }
};

const refused = (run: string, why: string): Fault =>
  new Fault("refused", `${run} was not archived and stays in the store: ${why}`, {
    retry: "later",
    details: { run, allowedIn: ENDED_STATUSES },
  });
