import { evolve } from "../fold/evolve.ts";
import type { AppendOrder, Journal } from "../journal/journal.ts";
import type { Recorded, RunEvent } from "../model/events/events.ts";
import { Fault, isFault } from "../model/fault.ts";
import type { RunState } from "../model/state/run-state.ts";
import type { World } from "../model/world.ts";
import type { Leases } from "./leases.ts";

export interface SalvagedRun {
  readonly run: string;
  /** The last event of the damaged run that is whole, and so the last one taken over. */
  readonly soundSeq: number;
}

const PAGE_EVENTS = 500;

/** Under which name a damaged run goes on. Derived, so that asking twice finds what was begun. */
export const salvagedName = (run: string): string => `${run}-salvaged`;

/**
 * Lets a run whose journal is damaged go on as another one: everything up to the damage is taken over event by event,
 * with its times, and then the new run waits for somebody to look what was done since. The damaged run is left as it is.
 *
 * On disk at each instant: a beginning of the copy, listed as paused so that nobody works it; asked again, it is
 * gone on with. The last append makes it a run that waits for a person.
 */
export async function salvageRun(
  { journal, world, leases }: { journal: Journal; world: World; leases: Leases },
  damaged: string,
): Promise<SalvagedRun> {
  const { events, fault } = await soundPart(journal, damaged);
  const run = salvagedName(damaged);
  const taken = await leases.take(run);
  if (taken.kind === "held")
    throw new Fault("refused", `${run} is being worked already; see \`holdfast status ${run}\``);
  try {
    const copied = (await journal.head(run))?.seq ?? 0;
    if (copied > events.length) return { run, soundSeq: events.length };
    const copy = new Copy(journal, run, taken.epoch);
    for (const moment of moments(events)) await copy.take(moment, copied);
    world.crashPoint("salvage.copied");
    await copy.finish({ damaged, soundSeq: events.length, what: fault.message }, world.now());
    return { run, soundSeq: events.length };
  } finally {
    await leases.release(run, taken.epoch);
  }
}

/** What can be read of a damaged run, and the damage that ends it, or that stands beside its events. */
async function soundPart(journal: Journal, run: string): Promise<{ events: Recorded[]; fault: Fault }> {
  const beside = await damageBeside(journal, run);
  const withoutEnd = beside !== null;
  const events: Recorded[] = [];
  for (let limit = PAGE_EVENTS; ;) {
    try {
      const page = await journal.read(run, { after: events.length, limit, withoutEnd });
      events.push(...page);
      if (page.length === limit) continue;
      if (beside !== null && events.length > 0) return { events, fault: beside };
      throw new Fault(
        "refused",
        `salvage is refused: the journal of ${run} is whole; see \`holdfast status ${run}\``,
      );
    } catch (error) {
      if (!isFault(error, "journal_damaged")) throw error;
      if (limit > 1) limit = 1;
      else if (events.length === 0) throw error;
      else return { events, fault: error };
    }
  }
}

/** The events may be whole and the run unworkable all the same: its end, its lease, its listing or its mail is damaged. */
export async function damageBeside(journal: Journal, run: string): Promise<Fault | null> {
  let found: Fault | null = null;
  const note = (of: string, fault: Fault): void => {
    if (of === run) found ??= fault;
  };
  const looks = [
    () => journal.head(run),
    () => journal.lease(run),
    () => journal.inbox(run),
    () => journal.runs({ onDamaged: note }),
  ];
  for (const look of looks)
    await look().catch((error: unknown) => {
      if (!isFault(error, "journal_damaged")) throw error;
      note(run, error);
    });
  return found;
}

/** Events that were written at one time: an append has one. */
function moments(events: readonly Recorded[]): Recorded[][] {
  const found: Recorded[][] = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last?.[0]?.at === event.at) last.push(event);
    else found.push([event]);
  }
  return found;
}

class Copy {
  readonly #journal: Journal;
  readonly #run: string;
  readonly #epoch: number;
  #state: RunState | null = null;

  constructor(journal: Journal, run: string, epoch: number) {
    this.#journal = journal;
    this.#run = run;
    this.#epoch = epoch;
  }

  /** What an earlier try has copied is only folded. */
  async take(events: readonly Recorded[], copied: number): Promise<void> {
    const [first] = events;
    const before = this.#state?.seq ?? 0;
    const left = events.slice(Math.max(0, copied - before));
    for (const event of events)
      this.#state = evolve(this.#state, event, { run: this.#run, seq: event.seq, at: event.at });
    if (first === undefined || left.length === 0) return;
    await this.#append(left, { at: first.at, status: "paused" });
  }

  async finish(found: { damaged: string; soundSeq: number; what: string }, now: number): Promise<void> {
    const detail = `the journal of ${found.damaged} was damaged after event ${String(found.soundSeq)}; this run goes on from there, and what was done since is not known`;
    const blocked = { reason: "needs_human", detail, attemptKept: true, guidance: [] } as const;
    const events: RunEvent[] = [
      { type: "RunSalvaged", data: { from: found.damaged, seq: found.soundSeq, what: found.what } },
      { type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } },
    ];
    const at = Math.max(now, this.#state?.at ?? 0);
    for (const event of events)
      this.#state = evolve(this.#state, event, { run: this.#run, seq: (this.#state?.seq ?? 0) + 1, at });
    await this.#append(events, { at, status: "blocked" });
  }

  async #append(
    events: readonly RunEvent[],
    { at, status }: { at: number; status: AppendOrder["listing"]["status"] },
  ): Promise<void> {
    const { seq = 0, goal = "" } = this.#state ?? {};
    const outcome = await this.#journal.append({
      run: this.#run,
      expected: seq - events.length,
      epoch: this.#epoch,
      at,
      events: events.map(({ type, data }) => ({ type, data }) as RunEvent),
      listing: { status, goal, wakeAt: null },
    });
    if (outcome.kind !== "appended")
      throw new Fault("refused", `somebody else writes to ${this.#run}; try again`);
  }
}
