import type { Anchored } from "../model/events/anchored.ts";
import type { EventData } from "../model/events/events.ts";
import type { AnchorFile } from "./anchor.ts";
import { behindAnchor, type Behind } from "./anchored-journal.ts";
import type { Journal } from "./journal.ts";

interface Older {
  readonly journal: Journal;
  readonly anchor: AnchorFile | null;
  /** Writes it into the chain of the store. */
  readonly record: (data: EventData<"RollbackAccepted">) => Promise<void>;
}

/**
 * A person goes on with a store that is older than its anchor.
 *
 * On disk: first an event in the store's own journal that names what is lost, then the anchor at what the store holds.
 * After a crash between the two the store is still refused, and is accepted once more.
 */
export async function acceptOlder(
  { journal, anchor, record }: Older,
  by: string,
): Promise<readonly Behind[] | null> {
  if (anchor === null) return null;
  const named = readable(anchor);
  const behind = named === null ? [] : await behindAnchor(journal, named);
  if (named !== null && behind.length === 0) return [];
  const lost = behind.map(({ anchored: { run, seq, hash }, seq: found }) => ({ run, seq, hash, found }));
  await record({ by, anchor: anchor.file, lost });
  anchor.replace(await headsOf(journal));
  return behind;
}

/** Null for one that cannot be read: then nobody knows what is lost, and that is what is accepted. */
function readable(anchor: AnchorFile): readonly Anchored[] | null {
  try {
    return anchor.read();
  } catch {
    return null;
  }
}

async function headsOf(journal: Journal): Promise<Anchored[]> {
  const listings = [...(await journal.runs()), ...(await journal.runs({ shared: true }))];
  const heads: Anchored[] = [];
  for (const { run, updatedAt } of listings) {
    const head = await journal.head(run);
    if (head !== null) heads.push({ run, seq: head.seq, hash: head.hash, at: updatedAt });
  }
  return heads;
}
