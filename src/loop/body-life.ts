import type { InboxRow, Journal } from "../journal/journal.ts";
import type { BodyError } from "../model/body-events.ts";
import { keyText } from "../model/body-key.ts";
import { signalsOf, type BodyScope } from "../model/body-state.ts";
import type { RunEvent } from "../model/events.ts";
import { promise } from "../model/fault.ts";
import { requestSchema } from "../model/requests.ts";
import type { RunState } from "../model/run-state.ts";
import type { World } from "../model/world.ts";
import { answerMail, type MailVerdict } from "./answer-mail.ts";
import type { BudgetHandle, Spending, Waited } from "./body.ts";
import { cancelledFault, restoredError } from "./body-error.ts";
import { BodyJournal, type ClaimedRun } from "./body-journal.ts";
import { budgetLeft, exhaustedKind } from "./budget.ts";

export interface LifeRooms {
  readonly journal: Journal;
  readonly world: World;
}

interface Waiter {
  readonly key: string;
  readonly name: string;
  settle(waited: Waited<unknown>): void;
}

const TIMER_MS_MAX = 3_600_000;

/**
 * One life of a body: from the moment this process took the run until the body ends, is cancelled, or the process
 * lets go. Everything it promises to remember is in the journal; what is here (timers, waiters) is made anew from
 * there by the next life.
 *
 * States: alive; stopping (cancelled); over. 1. After `end` nothing is committed any more. 2. A request is consumed
 * in the append that answers it. 3. A signal is taken by one wait, in the append that ends that wait.
 */
export class BodyLife {
  readonly run: string;
  readonly world: World;
  readonly #rooms: LifeRooms;
  readonly #journal: BodyJournal;
  readonly #abort = new AbortController();
  readonly #waiters: Waiter[] = [];
  readonly #doubts = new Map<string, (answer: { done: unknown } | null) => void>();
  readonly #rowsTaken = new Set<string>();
  readonly #timers = new Set<() => void>();
  readonly #failures = new WeakMap<Error, string>();
  #moved: (() => void)[] = [];
  #over: Error | null = null;

  constructor(rooms: LifeRooms, claimed: ClaimedRun) {
    this.#rooms = rooms;
    this.world = rooms.world;
    this.run = claimed.state.run;
    this.#journal = new BodyJournal(rooms, claimed, () => {
      this.#pump();
    });
  }

  get state(): Readonly<RunState> {
    return this.#journal.state;
  }

  get root(): BodyScope {
    const { body } = this.#journal.state;
    promise(body !== null, `${this.run} has no body`);
    return body.root;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  now(): number {
    return this.world.now();
  }

  chance(): number {
    return this.world.chance();
  }

  newId(): string {
    return this.world.id("id");
  }

  note(event: RunEvent): void {
    this.#journal.note(event);
  }

  commit(events: readonly RunEvent[], consumed: readonly string[] = []): Promise<void> {
    return this.#over === null ? this.#journal.commit(events, consumed) : Promise.reject(this.#over);
  }

  /** Throws once this life is over or the run is being cancelled. */
  check(): void {
    if (this.#over !== null) throw this.#over;
    if (this.#abort.signal.aborted) throw cancelledFault(this.run);
  }

  /** The recorded failure as an error; remembered, so that a body that fails of it can be traced to its step. */
  failure(key: string, error: BodyError, original?: unknown): Error {
    const thrown = original instanceof Error ? original : restoredError(error);
    if (!this.#failures.has(thrown)) this.#failures.set(thrown, key);
    return thrown;
  }

  keyOfFailure(error: unknown): string | undefined {
    return error instanceof Error ? this.#failures.get(error) : undefined;
  }

  async until(at: number): Promise<void> {
    while (this.world.now() < at) {
      this.check();
      await this.#race(this.#delay(Math.min(at - this.world.now(), TIMER_MS_MAX)));
    }
  }

  /** Waits for a signal of that name; the oldest one waits already, perhaps. */
  async signalled(key: string, name: string, until: number | null): Promise<Waited<unknown>> {
    const heard = new Promise<Waited<unknown>>((settle) => {
      this.#waiters.push({ key, name, settle });
    });
    this.#pump();
    if (until === null) return this.#race(heard);
    const late = this.until(until).then(() => this.#timeOut(key, heard));
    return this.#race(Promise.race([heard, late]));
  }

  /** Blocks the run until somebody says what became of a step in doubt. */
  async askPerson(key: string): Promise<{ done: unknown } | null> {
    const answered = new Promise<{ done: unknown } | null>((resolve) => {
      this.#doubts.set(key, resolve);
    });
    const detail = `step "${keyText(key)}" was begun by a process that died; whether it was done is not known`;
    const blocked = { reason: "in_doubt", detail, step: key, attemptKept: true, guidance: [] } as const;
    await this.commit([{ type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } }]);
    return this.#race(answered);
  }

  budget(path: readonly string[]): BudgetHandle {
    return {
      left: () => budgetLeft(this.#journal.state, this.world.now()),
      spend: ({ tokens = 0, usd = 0 }: Spending) => {
        this.note({ type: "BodySpent", data: { scope: path.join("/"), tokens, usd, iterations: 0 } });
      },
    };
  }

  /** Goes on while the budget lasts; otherwise the run stops, its work kept, until somebody raises it. */
  async afford(): Promise<void> {
    for (
      let kind = exhaustedKind(this.state, this.now());
      kind !== null;
      kind = exhaustedKind(this.state, this.now())
    ) {
      if (this.state.status !== "blocked") {
        const detail = `the budget of ${kind} is spent; what was done is kept`;
        await this.commit([
          {
            type: "RunBlocked",
            data: { blocked: { reason: "budget_exhausted", detail, attemptKept: true, guidance: [] } },
          },
        ]);
      }
      await this.#race(new Promise<void>((resolve) => this.#moved.push(resolve)));
    }
  }

  /** Takes what is in the inbox. */
  async readMail(): Promise<void> {
    const rows = await this.#rooms.journal.inbox(this.run);
    for (const row of rows) if (this.#over === null) await this.#takeRow(row);
  }

  /** Ends this life: whatever the body still waits for is refused with this error. */
  end(error: Error): void {
    this.#over ??= error;
    this.#journal.break(error);
    this.#abort.abort(error);
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  async #takeRow(row: InboxRow): Promise<void> {
    const request = requestSchema.safeParse(row.request);
    if (this.#rowsTaken.has(row.id) || !request.success) return;
    this.#rowsTaken.add(row.id);
    const verdict: MailVerdict = answerMail(this.state, request.data, [...this.#doubts.keys()]);
    const events: RunEvent[] = [
      { type: "RequestHeard", data: { requestId: row.id, request: request.data, by: row.by } },
      ...verdict.changes,
      { type: "RequestAnswered", data: { requestId: row.id, answer: verdict.answer } },
    ];
    await this.commit(events, [row.id]);
    for (const { key, answer } of verdict.settled) this.#settleDoubt(key, answer);
    if (verdict.cancels) this.#abort.abort(cancelledFault(this.run));
  }

  #settleDoubt(key: string, answer: { done: unknown } | null): void {
    const settle = this.#doubts.get(key);
    this.#doubts.delete(key);
    settle?.(answer);
  }

  /** After every append: waits take signals that are there, and whoever waits for a change looks again. */
  #pump(): void {
    const moved = this.#moved;
    this.#moved = [];
    for (const look of moved) look();
    const taken = new Map<string, number>();
    for (const waiter of [...this.#waiters]) {
      const nth = taken.get(waiter.name) ?? 0;
      const queued = this.state.body === null ? [] : signalsOf(this.state.body, waiter.name);
      if (nth >= queued.length) continue;
      taken.set(waiter.name, nth + 1);
      this.#endWait(waiter, { value: queued[nth] });
    }
  }

  #endWait(waiter: Waiter, waited: Waited<unknown>): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    const timedOut = waited.timedOut === true;
    const data = { key: waiter.key, timedOut, ...(timedOut ? {} : { value: waited.value }) };
    this.commit([{ type: "BodyWaitEnded", data }]).then(
      () => {
        waiter.settle(waited);
      },
      () => undefined,
    );
  }

  #timeOut(key: string, heard: Promise<Waited<unknown>>): Promise<Waited<unknown>> {
    const waiter = this.#waiters.find((one) => one.key === key);
    if (waiter !== undefined) this.#endWait(waiter, { timedOut: true });
    return heard;
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.world.timer(ms, () => {
        this.#timers.delete(cancel);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }

  /** A wait ends early when the run is cancelled or this life is over. */
  async #race<Value>(wait: Promise<Value>): Promise<Value> {
    const { signal } = this;
    this.check();
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => {
        reject(this.#over ?? cancelledFault(this.run));
      };
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([wait, stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
