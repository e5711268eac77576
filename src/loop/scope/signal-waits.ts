import { recordAt, signalsOf, type ProgramState } from "../../model/state/program-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Waited } from "../workflow-function.ts";
import type { OpenScope, SignalWait } from "./open-scope.ts";

interface Waiter {
  readonly key: string;
  readonly name: string;
  readonly scope: OpenScope;
  settle(waited: Waited<unknown>): void;
}

/** Who waits for which signal. A signal is taken by one wait, in the append that ends that wait. */
export class SignalWaits {
  #waiters: Waiter[] = [];
  /** Those that were given a signal, while their end is on its way to the journal. */
  readonly #given = new Set<Waiter>();

  async wait(scope: OpenScope, { key, name, until }: SignalWait): Promise<Waited<unknown>> {
    let waiter: Waiter | null = null;
    const received = new Promise<Waited<unknown>>((settle) => {
      waiter = { key, name, scope, settle };
      this.#waiters.push(waiter);
    });
    const pay = scope.life.budget.clock.hold(scope.path);
    try {
      this.pump(scope.life.state.program);
      if (until === null) return await scope.race(received);
      const late = scope.life.until(scope, until).then(() => this.#timeOut(waiter, received));
      late.catch(() => undefined);
      return await scope.race(Promise.race([received, late]));
    } finally {
      pay();
      this.#waiters = this.#waiters.filter((one) => one !== waiter);
    }
  }

  /** Waits take signals that are there, in the order in which they began to wait. */
  pump(program: ProgramState): void {
    if (this.#waiters.length === 0) return;
    const taken = this.#stillQueued(program);
    for (const waiter of this.#waiters) {
      const nth = taken.get(waiter.name) ?? 0;
      const queued = signalsOf(program, waiter.name);
      if (nth >= queued.length || waiter.scope.isStopped) continue;
      taken.set(waiter.name, nth + 1);
      this.#end(waiter, { value: queued[nth] });
    }
  }

  #end(waiter: Waiter, waited: Waited<unknown>): void {
    this.#waiters = this.#waiters.filter((one) => one !== waiter);
    const timedOut = waited.timedOut === true;
    const data = { key: waiter.key, timedOut, ...(timedOut ? {} : { value: waited.value }) };
    const ended: RunEvent = { type: "BodyWaitEnded", data };
    if (!timedOut) this.#given.add(waiter);
    waiter.scope.commit([ended]).then(
      () => {
        this.#given.delete(waiter);
        waiter.settle(waited);
      },
      () => this.#given.delete(waiter),
    );
  }

  /** How many signals of each name are given away, and in the queue as long as the end of that wait is not folded. */
  #stillQueued(program: ProgramState): Map<string, number> {
    const queued = new Map<string, number>();
    for (const { key, name } of this.#given)
      if (recordAt(program, key)?.kind === "waiting") queued.set(name, (queued.get(name) ?? 0) + 1);
    return queued;
  }

  #timeOut(waiter: Waiter | null, received: Promise<Waited<unknown>>): Promise<Waited<unknown>> {
    if (waiter !== null && this.#waiters.includes(waiter)) this.#end(waiter, { timedOut: true });
    return received;
  }
}
