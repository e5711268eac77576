import { pause } from "../ports.ts";
import { errorText, isFault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";

const WAIT_MS = 1_000;

/** Called when the store cannot be written for want of room, and when it can again. */
export interface RoomNews {
  readonly onStoreFull?: (text: string) => void;
  readonly onStoreRoom?: (afterMs: number) => void;
}

/**
 * Waits while the disk of a store is full. What was refused for it is looked at again before it is tried again, so
 * nothing is lost or doubled; and to end would help nobody, since agents work on and somebody has to see what becomes
 * of them.
 */
export class StoreRoom {
  readonly #world: World;
  readonly #news: RoomNews;
  #since: number | null = null;

  constructor(world: World, news: RoomNews) {
    this.#world = world;
    this.#news = news;
  }

  /** Whether a fault is that the disk is full; then it is waited for a moment. */
  async waitedFor(fault: unknown): Promise<boolean> {
    if (!isFault(fault, "store_full")) return false;
    if (this.#since === null) {
      this.#since = this.#world.now();
      this.#news.onStoreFull?.(errorText(fault));
    }
    await this.pause();
    return true;
  }

  pause(): Promise<void> {
    return pause(this.#world, WAIT_MS);
  }

  /** Something was written. */
  served(): void {
    if (this.#since === null) return;
    this.#news.onStoreRoom?.(Math.max(0, this.#world.now() - this.#since));
    this.#since = null;
  }

  /** Writes something, and again until there is room for it, as long as somebody waits for it. */
  async until<T>(write: () => Promise<T>, isAwaited?: () => boolean): Promise<T> {
    const done = await this.untilRead(write, isAwaited);
    this.served();
    return done;
  }

  /** The same for what only reads: without room a store may not even be read, and that it is says nothing of room. */
  async untilRead<T>(read: () => Promise<T>, isAwaited: () => boolean = () => true): Promise<T> {
    for (;;)
      try {
        return await read();
      } catch (fault) {
        if (!isAwaited() || !(await this.waitedFor(fault))) throw fault;
      }
  }
}
