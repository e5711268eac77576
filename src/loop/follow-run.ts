import type { Journal } from "../journal/journal.ts";
import type { EventType, Recorded } from "../model/events/events.ts";
import { Fault } from "../model/fault.ts";
import { isEnded } from "../model/state/run-status.ts";
import type { World } from "../model/world.ts";
import { openRun } from "../runtime/load-run.ts";
import { endedResult } from "./life/program-end.ts";
import { ChangeBell } from "./life/change-bell.ts";
import { checkKeys, misused, shown } from "./check-run-options.ts";
import type { ErrorClasses } from "./scope/step-error.ts";

export interface EventsOptions {
  /** The number of the last event that is known: those after it are given. 0 (the default) is the beginning. */
  readonly after?: number;
  /** Ends the waiting for more, with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Following {
  readonly journal: Journal;
  readonly world: World;
  /** Why the one that follows was closed; null while it is not. */
  readonly closed: () => Fault | null;
}

const PAGE_EVENTS = 250;
/** The longest a change whose hint was lost goes unnoticed. */
const LOOK_MS = 1_000;

const ENDS: ReadonlyMap<EventType, boolean> = new Map([
  ["RunCompleted", true],
  ["RunFailed", true],
  ["RunCancelled", true],
  ["RunReopened", false],
]);

/**
 * Follows the journal of a run from a cursor on, no matter who writes it, until the run has ended. Nothing is kept in
 * memory.
 */
export async function* followRun(
  { journal, world, closed }: Following,
  id: string,
  options: EventsOptions,
): AsyncGenerator<Recorded, void, undefined> {
  let after = checkEvents(options);
  const { signal } = options;
  const bell = new ChangeBell({ journal, world });
  const abort = (): void => {
    bell.ring();
  };
  signal?.addEventListener("abort", abort);
  try {
    let hasEnded = await isOver(journal, id);
    for (;;) {
      const events = await journal.read(id, { after, limit: PAGE_EVENTS });
      for (const event of events) {
        const fault = closed();
        if (fault !== null) throw fault;
        signal?.throwIfAborted();
        after = event.seq;
        hasEnded = ENDS.get(event.type) ?? hasEnded;
        yield event;
      }
      if (events.length > 0) continue;
      if (hasEnded) return;
      await bell.wait(LOOK_MS);
      signal?.throwIfAborted();
      const fault = closed();
      if (fault !== null) throw fault;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    bell.close();
  }
}

/** The recorded end of a run, once it has one; its error is thrown. */
export async function runResult(
  following: Following,
  id: string,
  options: Pick<EventsOptions, "signal">,
  errors: ErrorClasses,
): Promise<unknown> {
  const { journal } = following;
  checkKeys("hf.result", options, ["signal"]);
  for (;;) {
    const after = (await journal.head(id))?.seq ?? 0;
    const rest = followRun(following, id, { ...options, after });
    while ((await rest.next()).done !== true);
    const ended = endedResult(id, (await openRun(journal, id))?.state ?? null, errors);
    if (ended !== null) return ended.value;
  }
}

async function isOver(journal: Journal, id: string): Promise<boolean> {
  const state = (await openRun(journal, id))?.state;
  if (state === undefined)
    throw new Fault("not_found", `there is no run "${id}" in this store; hf.list() names those there are`);
  return isEnded(state.status);
}

function checkEvents(options: EventsOptions): number {
  const { after = 0, signal } = options;
  checkKeys("hf.events", options, ["after", "signal"]);
  if (!Number.isSafeInteger(after) || after < 0)
    throw misused("hf.events", `after: ${shown(after)}`, "the seq of an event, or 0");
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw misused("hf.events", `signal: ${shown(signal)}`, "the signal of an AbortController");
  return after;
}
