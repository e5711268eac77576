import type { System } from "../../main.ts";
import type { Recorded } from "../../model/events/events.ts";

type Journal = System["ports"]["journal"];

const PAGE_EVENTS = 500;
/** Hints of change may be lost; a look now and then finds everything. */
const LOOK_EVERY_MS = 500;

/** All events of a run after a place, oldest first. */
export async function* eventsAfter(
  journal: Journal,
  run: string,
  after: number,
  page: { readonly leaveApart?: boolean } = {},
): AsyncGenerator<Recorded> {
  for (let seq = after; ;) {
    const events = await journal.read(run, { ...page, after: seq, limit: PAGE_EVENTS });
    yield* events;
    seq = events.at(-1)?.seq ?? seq;
    if (events.length < PAGE_EVENTS) return;
  }
}

/**
 * The same, and then what is appended, as it comes, until the signal is given; what was there by then is still
 * reported.
 */
export async function* followRun(
  journal: Journal,
  run: string,
  options: { readonly after: number; readonly until: AbortSignal },
): AsyncGenerator<Recorded> {
  for (let seq = options.after; ;) {
    const over = options.until.aborted;
    for await (const event of eventsAfter(journal, run, seq)) {
      yield event;
      seq = event.seq;
    }
    if (over) return;
    await changeOrDelay(journal, options.until);
  }
}

/** Until something is appended to the store, a while has passed, or the signal is given. */
export function changeOrDelay(journal: Journal, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unwatch();
      until.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_EVERY_MS);
    const unwatch = journal.watch(end);
    until.addEventListener("abort", end);
    if (until.aborted) end();
  });
}
