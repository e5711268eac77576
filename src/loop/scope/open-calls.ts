import { Fault } from "../../model/fault.ts";

export interface OpenCall {
  readonly what: string;
  promise: Promise<unknown> | null;
}

/**
 * The calls of one scope that have not come to an end. A scope that ends before one of its calls has forgotten to
 * await it: what the call does would be recorded too late or not at all, and the workflow function would have gone on
 * without it.
 */
export class OpenCalls {
  /** Made with the first call: most iterations of a loop make none. */
  #open: Set<OpenCall> | null = null;
  readonly #failed: () => void;

  /** `failed` is called whenever a call fails, before the one that made it knows. */
  constructor(failed: () => void) {
    this.#failed = failed;
  }

  track<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const call = this.begin(what);
    const promise = this.#ending(call, work);
    call.promise = promise;
    return promise;
  }

  /** For a call that ends itself; the one that begins it puts its promise there. */
  begin(what: string): OpenCall {
    const call: OpenCall = { what, promise: null };
    (this.#open ??= new Set()).add(call);
    return call;
  }

  end(call: OpenCall): void {
    this.#open?.delete(call);
  }

  /** Nobody listens any more: what still fails fails because its scope is over, and is no stray rejection. */
  abandon(): void {
    if (this.#open !== null) for (const { promise } of this.#open) promise?.catch(() => undefined);
  }

  /** `scope` shows what ended, for people. */
  checkNone(scope: () => string): void {
    if (this.#open === null || this.#open.size === 0) return;
    const open = [...this.#open];
    const [first] = open;
    this.abandon();
    const others = open.length === 1 ? "" : ` (and ${String(open.length - 1)} more)`;
    throw new Fault(
      "usage",
      `${first?.what ?? ""}${others} was not awaited: ${scope()} ended while it was under way, and nothing more was recorded; await every call, alone or with Promise.all (to wait for a signal only so long, give waitFor a timeout), and run it again`,
      { details: { calls: open.map(({ what }) => what) } },
    );
  }

  // Not `promise.finally`: that would make a failure look handled that nobody handles.
  async #ending<Value>(call: OpenCall, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      this.#failed();
      throw error;
    } finally {
      this.end(call);
    }
  }

  /** Resolves when none is under way. */
  async settled(): Promise<void> {
    while (this.#open !== null && this.#open.size > 0)
      await Promise.allSettled([...this.#open].map(async ({ promise }) => promise));
  }
}
