import { payerOf } from "../../fold/program/move-budget-scopes.ts";
import type { BudgetScopes } from "../../model/requests/budget.ts";
import { elapsedMs, type World } from "../../model/world.ts";

/** Counts how long somebody works on the account of a budget scope. */
interface Watch {
  /** Steps under way. */
  busy: number;
  /** Waits for somebody else: a person, a signal, a child that pays for its own time. */
  held: number;
  /** Since when it runs; null while it stands. */
  since: number | null;
  /** Measured and not yet recorded. */
  ms: number;
}

/**
 * One clock per budget scope that pays for time. It stands while nothing is done but waiting for a person, a signal or
 * a child with time of its own, and while no process works the run; sleeping is the workflow function's own choice and
 * counts.
 */
export class BudgetClock {
  readonly #watches = new Map<string, Watch>();
  readonly #world: Pick<World, "now" | "steady">;
  readonly #budgets: BudgetScopes;

  constructor(world: Pick<World, "now" | "steady">, budgets: BudgetScopes) {
    this.#world = world;
    this.#budgets = budgets;
  }

  start(key: string): void {
    this.#watchOf(key);
  }

  keys(): Iterable<string> {
    return this.#watches.keys();
  }

  /** A step begins; answers the function that ends it. */
  busy(path: readonly string[]): () => void {
    return this.#change(payerOf(this.#budgets, path, "timeMs"), "busy");
  }

  /** Whether any step is under way. */
  get isBusy(): boolean {
    for (const { busy } of this.#watches.values()) if (busy > 0) return true;
    return false;
  }

  /** A wait begins; answers the function that ends it. */
  hold(path: readonly string[]): () => void {
    return this.#change(payerOf(this.#budgets, path, "timeMs"), "held");
  }

  /** What is measured for a budget scope and not yet taken, in milliseconds. */
  running(key: string): number {
    const watch = this.#watchOf(key);
    return watch.ms + (watch.since === null ? 0 : Math.max(0, elapsedMs(this.#world) - watch.since));
  }

  /** Takes what was measured, to be recorded. */
  take(key: string): number {
    const watch = this.#watchOf(key);
    const ms = this.running(key);
    watch.ms = 0;
    if (watch.since !== null) watch.since = elapsedMs(this.#world);
    return ms;
  }

  forget(key: string): void {
    this.#watches.delete(key);
  }

  #watchOf(key: string): Watch {
    let watch = this.#watches.get(key);
    if (watch === undefined) {
      watch = { busy: 0, held: 0, since: elapsedMs(this.#world), ms: 0 };
      this.#watches.set(key, watch);
    }
    return watch;
  }

  #change(key: string, what: "busy" | "held"): () => void {
    this.#move(key, what, 1);
    let ended = false;
    return () => {
      if (!ended) this.#move(key, what, -1);
      ended = true;
    };
  }

  #move(key: string, what: "busy" | "held", by: 1 | -1): void {
    const watch = this.#watchOf(key);
    const now = elapsedMs(this.#world);
    if (watch.since !== null) watch.ms += Math.max(0, now - watch.since);
    watch[what] += by;
    watch.since = watch.busy === 0 && watch.held > 0 ? null : now;
  }
}
