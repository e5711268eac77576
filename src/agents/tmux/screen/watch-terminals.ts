import type { World } from "../../../model/world.ts";
import { lookAtPanes } from "./look-at-panes.ts";
import { paneNameOf, targetOf, type TmuxClient } from "../tmux-client.ts";
import type { WatchedTerminal } from "../watched-terminal.ts";

const ROUND_MS = 80;
const LIST_APART_MS = 1_000;

/**
 * All terminals of this process in one round: what is new in their spools is read, and one tmux process lists all panes
 * and shows the screens that have changed. What a round costs does not grow by a process for each session.
 */
export class TerminalWatch {
  readonly #world: World;
  readonly #tmux: TmuxClient;
  readonly #watched = new Map<
    string,
    { readonly one: WatchedTerminal; listeners: number; cleared: boolean }
  >();
  readonly #bringing = new Set<{ readonly one: WatchedTerminal; readonly release: () => void }>();
  #cancel: (() => void) | undefined;
  #listedAt = 0;
  #round: Promise<void> | undefined;

  constructor(world: World, tmux: TmuxClient) {
    this.#world = world;
    this.#tmux = tmux;
  }

  /** Answers how to let go of it again. */
  watch(
    session: string,
    open: () => WatchedTerminal,
  ): { readonly one: WatchedTerminal; readonly release: () => void } {
    const entry = this.#watched.get(session) ?? { one: open(), listeners: 0, cleared: false };
    this.#watched.set(session, entry);
    entry.listeners += 1;
    this.#schedule(0);
    let held = true;
    return {
      one: entry.one,
      release: () => {
        if (!held) return;
        held = false;
        entry.listeners -= 1;
        if (entry.listeners > 0) return;
        this.#watched.delete(session);
        entry.one.resign();
      },
    };
  }

  /** Watches a session that was just started until it has its task, whether or not anybody listens. */
  bringTask(session: string, open: () => WatchedTerminal): void {
    const { one, release } = this.watch(session, open);
    this.#bringing.add({ one, release });
  }

  /** One round now; also what the benchmark measures. */
  async round(): Promise<void> {
    const now = this.#world.now();
    const live = [...this.#watched].filter(([, { one }]) => !one.ended);
    const changed = live
      .filter(([, { one }]) => lookedAt(one, () => one.observe(now)))
      .map(([session]) => session);
    if (live.length === 0 || (changed.length === 0 && now - this.#listedAt < LIST_APART_MS))
      return this.#clear();
    this.#listedAt = now;
    const { panes, screens } = await lookAtPanes(this.#tmux, changed, this.#world.id("cut"));
    const seenAt = this.#world.now();
    for (const [session, { one }] of live) {
      const pane = panes === "unknown" ? panes : panes.get(paneNameOf(session));
      lookedAt(
        one,
        () => (one.see(seenAt, pane, screens.get(session)?.lines, screens.get(session)?.lit), true),
      );
    }
    await this.#clear();
  }

  /** Of what has ended everything was read: its pane is kept for nobody. */
  async #clear(): Promise<void> {
    for (const held of this.#bringing) {
      if (!held.one.isPrompted) continue;
      this.#bringing.delete(held);
      // Cleared below first, where it has ended.
      this.#world.timer(0, () => held.release());
    }
    for (const [session, entry] of this.#watched) {
      if (!entry.one.ended || entry.cleared) continue;
      entry.cleared = true;
      await this.#tmux.run(["kill-session", "-t", targetOf(session)]);
    }
  }

  async close(): Promise<void> {
    this.#cancel?.();
    for (const { one } of this.#watched.values()) one.resign();
    this.#watched.clear();
    await this.#round;
  }

  #schedule(delayMs: number): void {
    this.#cancel ??= this.#world.timer(delayMs, () => {
      this.#round = this.round().then(() => {
        this.#cancel = undefined;
        this.#round = undefined;
        if (this.#watched.size > 0) this.#schedule(ROUND_MS);
      });
    });
  }
}

/** One terminal whose files cannot be read or written just now does not keep the others from being watched. */
function lookedAt(one: WatchedTerminal, look: () => boolean): boolean {
  try {
    return look();
  } catch {
    one.startOver();
    return false;
  }
}
