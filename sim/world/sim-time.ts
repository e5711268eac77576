/** When simulated time begins: any fixed instant will do. */
export const SIM_EPOCH_MS = Date.UTC(2030, 0, 1);

interface Entry {
  readonly at: number;
  /** Ties are settled by order of arrival, so that a seed gives one history. */
  readonly order: number;
  fire: (() => void) | null;
}

/**
 * Simulated time: a queue of timers. It moves only when everything that follows from the last timer has settled,
 * so the same seed gives the same interleaving. Nothing in the simulation waits for the real clock.
 */
export class SimTime {
  now = SIM_EPOCH_MS;
  fired = 0;
  #order = 0;
  readonly #heap: Entry[] = [];
  readonly #settled: () => Promise<void>;

  /** `settled` answers when nothing more follows from the last timer; where real files take part that is later. */
  constructor(settled: () => Promise<void> = turnOfLoop) {
    this.#settled = settled;
  }

  /** Calls `fire` after `delayMs` unless cancelled by the returned function. */
  schedule(delayMs: number, fire: () => void): () => void {
    const entry: Entry = { at: this.now + Math.ceil(Math.max(0, delayMs)), order: (this.#order += 1), fire };
    this.#push(entry);
    return () => {
      entry.fire = null;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(delayMs, resolve);
    });
  }

  /** Fires timers in order until `untilMs`, until there are none, or until `done` says so. */
  async run(untilMs: number, done: () => boolean): Promise<void> {
    await this.#settled();
    while (!done()) {
      const next = this.#pop();
      if (next === undefined) return;
      if (next.at > untilMs) {
        this.#push(next);
        this.now = Math.max(this.now, untilMs);
        return;
      }
      if (next.fire === null) continue;
      this.now = Math.max(this.now, next.at);
      this.fired += 1;
      next.fire();
      await this.#settled();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !before(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const smaller = right !== undefined && left !== undefined && before(right, left) ? right : left;
      if (smaller === undefined || !before(smaller, last)) break;
      heap[index] = smaller;
      index = smaller === right ? 2 * index + 2 : 2 * index + 1;
    }
    heap[index] = last;
    return top;
  }
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Everything here is microtasks: one turn of the real event loop lets all of them happen. */
const turnOfLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
