import type { Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";

/** Since when which process owned the run. */
export interface OwnerView {
  readonly at: string;
  readonly seq: number;
  readonly owner: string;
  readonly epoch: number;
  /** From whom it took the run: nobody, one that released it, one that was gone, or one that was silent. */
  readonly from: string;
  readonly host: string | null;
  readonly missing: readonly string[];
  /** Until the next owner of the window; null for the last one. */
  readonly until: string | null;
}

/** A supervisor that ended in a turn of this run. */
export interface OwnerDeath {
  readonly at: string;
  readonly seq: number;
  readonly how: string;
  readonly text: string;
  readonly diedAt: string;
}

export interface OwnerHistory {
  readonly owners: readonly OwnerView[];
  readonly deaths: readonly OwnerDeath[];
}

export function ownerHistory(events: readonly Recorded[]): OwnerHistory {
  const owners: { -readonly [Key in keyof OwnerView]: OwnerView[Key] }[] = [];
  const deaths: OwnerDeath[] = [];
  for (const event of events) {
    const at = isoTime(event.at);
    if (event.type === "SupervisorDied") {
      const { how, text, diedAt } = event.data;
      deaths.push({ at, seq: event.seq, how, text, diedAt: isoTime(diedAt) });
    }
    if (event.type !== "RunClaimed") continue;
    const last = owners.at(-1);
    if (last !== undefined) last.until = at;
    const { owner, epoch, from, host = null, missing = [] } = event.data;
    owners.push({ at, seq: event.seq, owner, epoch, from, host, missing, until: null });
  }
  return { owners, deaths };
}
