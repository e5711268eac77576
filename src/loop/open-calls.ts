import { Fault } from "../model/fault.ts";

export interface OpenCall {
  readonly what: string;
  promise: Promise<unknown> | null;
}

/**
 * The calls of one scope that have not come to an end. A scope that ends before one of its calls has forgotten to
 * await it: what the call does would be recorded too late or not at all, and the body would have gone on without it.
 */
export class OpenCalls {
  readonly #open = new Set<OpenCall>();

  track<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const call = this.begin(what);
    const promise = this.#ending(call, work);
    call.promise = promise;
    return promise;
  }

  /** For a call that ends itself; whoever begins it puts its promise there. */
  begin(what: string): OpenCall {
    const call: OpenCall = { what, promise: null };
    this.#open.add(call);
    return call;
  }

  end(call: OpenCall): void {
    this.#open.delete(call);
  }

  /** Nobody listens any more: what still fails fails because its scope is over, and is no stray rejection. */
  abandon(): void {
    for (const { promise } of this.#open) promise?.catch(() => undefined);
  }

  /** `scope` is what ended, for people. */
  checkNone(scope: string): void {
    const [first, ...more] = this.#open;
    if (first === undefined) return;
    this.abandon();
    const others = more.length === 0 ? "" : ` (and ${String(more.length)} more)`;
    throw new Fault(
      "usage",
      `${first.what}${others} was not awaited: ${scope} ended while it was under way, and nothing more was recorded; await every call, alone or with Promise.all (to wait for a signal only so long, give waitFor a timeout), and run it again`,
      { details: { calls: [first, ...more].map(({ what }) => what) } },
    );
  }

  // Not `promise.finally`: that would make a failure look heard that nobody listens to.
  async #ending<Value>(call: OpenCall, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } finally {
      this.end(call);
    }
  }
}
