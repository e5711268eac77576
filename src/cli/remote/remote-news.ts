import { setTimeout as delay } from "node:timers/promises";
import type { Recorded } from "../../model/events/events.ts";
import { isPassing, type Remote } from "./remote.ts";

const PAGE_EVENTS = 500;
/** A hint may be lost with its connection; a look now and then finds everything. */
const LOOK_EVERY_MS = 2_000;
const AGAIN_MS = 250;
const AGAIN_MS_MAX = 10_000;

/** Wakes the one that waits when something is appended to a run; the stream is a hint, and pages have the events. */
export class RemoteNews {
  readonly #over = new AbortController();
  #wake: () => void = () => undefined;
  #isNews = false;

  constructor(remote: Remote, run: string | null) {
    void this.#listen(remote, run);
  }

  async #listen(remote: Remote, run: string | null): Promise<void> {
    const { signal } = this.#over;
    try {
      const wish = { signal, ...(run === null ? {} : { runs: [run] }) };
      for await (const event of remote.client.stream(wish)) this.#told(event.seq);
    } catch {
      // A server that refuses its stream is looked at every now and then instead.
    }
  }

  #told(_seq: number): void {
    this.#isNews = true;
    this.#wake();
  }

  /** Until something was appended, a while has passed, or the signal is given. */
  async next(until: AbortSignal): Promise<void> {
    if (!this.#isNews && !until.aborted)
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          until.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, LOOK_EVERY_MS);
        until.addEventListener("abort", end);
        this.#wake = end;
      });
    this.#isNews = false;
  }

  close(): void {
    this.#over.abort();
  }
}

/** Asks until there is an answer: a server that is started again, or a network that is gone for a while, ends nothing. */
export async function persistently<T>(remote: Remote, until: AbortSignal, ask: () => Promise<T>): Promise<T> {
  let waitMs = AGAIN_MS;
  for (let isLost = false; ; isLost = true) {
    try {
      const answer = await ask();
      if (isLost) remote.output.note(`holdfast: connected to ${remote.url} again`);
      return answer;
    } catch (error) {
      if (!isPassing(error) || until.aborted) throw error;
      if (!isLost)
        remote.output.note(
          `holdfast: the connection to ${remote.url} is lost; trying again (Ctrl-C ends this)`,
        );
      await delay(waitMs, undefined, { signal: until }).catch(() => undefined);
      waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2);
    }
  }
}

interface Page {
  readonly events: readonly Recorded[];
  readonly after: number | null;
}

/** All events of a run behind a place, oldest first. */
export async function* remoteEvents(
  remote: Remote,
  run: string,
  { after, until }: { readonly after: number; readonly until: AbortSignal },
): AsyncGenerator<Recorded> {
  for (let from: number | null = after; from !== null;) {
    const query = { after: from, limit: PAGE_EVENTS };
    const page: Page = await persistently(remote, until, () =>
      remote.ask<Page>({ route: "listEvents", params: { run }, query }),
    );
    yield* page.events;
    from = page.after;
  }
}
