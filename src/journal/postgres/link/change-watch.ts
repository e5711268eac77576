import { setTimeout as wait } from "node:timers/promises";
import type { Connect, Link } from "./link.ts";
import type { PostgresTiming } from "./postgres-timing.ts";
import { text } from "../../row-values.ts";
import { statement } from "../statements.ts";
import type { World } from "../../../model/world.ts";

/**
 * Notifies watchers that something may have changed.
 *
 * States: idle until somebody first watches, then listening to other handles (`change-listener.ts`), then closed.
 * Own commits call back in a microtask.
 */
export interface ChangeWatch {
  watch(changed: () => void): () => void;
  /** Calls this handle's watchers. */
  notify(): void;
  close(): Promise<void>;
}

export function changeWatch(options: Omit<ListenOptions, "changed" | "until">): ChangeWatch {
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  let listening: Promise<void> | null = null;

  const notify = (): void => {
    for (const watcher of watchers)
      queueMicrotask(() => {
        if (watchers.has(watcher)) watcher();
      });
  };

  return {
    watch(changed) {
      const watcher = (): void => changed();
      watchers.add(watcher);
      listening ??= listenForChanges({ ...options, changed: notify, until: closing.signal });
      return () => void watchers.delete(watcher);
    },
    notify,
    async close() {
      watchers.clear();
      closing.abort();
      await listening;
    },
  };
}

interface ListenOptions {
  readonly connect: Connect;
  readonly channel: string;
  /** How this handle signs its own notifications, which its watchers know of already. */
  readonly self: string;
  readonly timing: PostgresTiming;
  readonly world: World;
  readonly changed: () => void;
  readonly until: AbortSignal;
}

/** Chance may say 0 again and again; a try takes a breath all the same. */
const PAUSE_MS_MIN = 5;

/**
 * Listens for what other handles change, over a connection of its own.
 *
 * States: listening, or parted and about to connect again, until aborted.
 *
 * 1. After each LISTEN `changed` is called: everything that happened before it was not received.
 * 2. Should a notification be lost, a slow look at the server's transactions sees the change; the look also
 *    finds out whether the connection still stands.
 * 3. A server that is away is tried again for ever; pauses grow up to `pauseMsMax`.
 * 4. The one that merely listens is not kept alive by it.
 */
async function listenForChanges(options: ListenOptions): Promise<void> {
  const { timing, world, until } = options;
  let pauseMs = timing.pauseMs;
  while (!until.aborted) {
    const ended = await listenOnce(options);
    pauseMs = ended === "parted" ? timing.pauseMs : Math.min(2 * pauseMs, timing.pauseMsMax);
    await pause(Math.max(PAUSE_MS_MIN, world.chance() * pauseMs), until);
  }
}

async function listenOnce(options: ListenOptions): Promise<"parted" | "failed"> {
  let link: Link | null = null;
  try {
    link = await options.connect();
    await listenUntilLost(link, options);
    return "parted";
  } catch {
    // Watching is a hint and goes on trying; the one that reads or writes is informed of what is wrong.
    return "failed";
  } finally {
    await link?.end();
  }
}

async function listenUntilLost(link: Link, options: ListenOptions): Promise<void> {
  const { channel, self, timing, changed, until } = options;
  link.onNotification((sender) => {
    if (sender !== self) changed();
  });
  await link.runAll(`LISTEN ${channel}`);
  let seen = await transactionsNow(link);
  changed();
  for (;;) {
    await Promise.race([pause(timing.pollMs, until), link.lost]);
    if (until.aborted || link.broken) return;
    const now = await transactionsNow(link);
    if (now !== seen) changed();
    seen = now;
  }
}

async function transactionsNow(link: Link): Promise<string> {
  const [row = {}] = await link.run(statement("transactions"));
  return text(row, "transactions");
}

const pause = (ms: number, until: AbortSignal): Promise<void> =>
  wait(ms, undefined, { ref: false, signal: until }).catch(() => undefined);
