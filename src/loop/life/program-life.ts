import type { InboxRow, Journal, ReadPage } from "../../journal/journal.ts";
import { withPlaces } from "../../model/state/bound-tree.ts";
import type { ProgramRecord, ProgramScope } from "../../model/state/program-state.ts";
import { RUN_BUDGET } from "../../model/requests/budget.ts";
import type { Recorded, RunEvent } from "../../model/events/events.ts";
import type { Fault } from "../../model/fault.ts";
import { claimedPrincipal } from "../../model/requests/principal.ts";
import { readRequest } from "../../model/requests/read-request.ts";
import type { ProgramRun } from "../../model/state/run-state.ts";
import { elapsedMs, type World } from "../../model/world.ts";
import { answerMail, received, type MailVerdict } from "./answer-mail.ts";
import type { TreeLimits, Waited } from "../workflow-function.ts";
import { cancelledFault } from "./program-error.ts";
import { ProgramJournal, type ClaimedRun, type Decided, type Reader } from "./program-journal.ts";
import { Cooldown } from "../cooldown.ts";
import { Doubts, forgottenDoubt } from "../scope/doubts.ts";
import { Failures } from "../scope/failures.ts";
import { LiveBudget, budgetSpent, exhaustedFault } from "../scope/live-budget.ts";
import { OpenScope, type ProcessLifetime, type SignalWait, type DoubtAnswer } from "../scope/open-scope.ts";
import { SignalWaits } from "../scope/signal-waits.ts";
import type { ErrorClasses } from "../scope/step-error.ts";

export interface LifePorts {
  readonly journal: Journal;
  readonly world: World;
}

export interface Claimed extends ClaimedRun {
  readonly limits: TreeLimits;
  readonly errors: ErrorClasses;
  readonly cooldown?: Cooldown;
}

const TIMER_MS_MAX = 3_600_000;

/**
 * One life of a workflow function: from the moment this process took the run until the workflow function ends, is
 * cancelled, or the process lets go. Everything it promises to remember is in the journal; what is here (timers,
 * waiters) is made again from there by the next life.
 *
 * States: alive; stopping (cancelled); over. 1. After `end` nothing is committed any more. 2. A request is consumed
 * in the append that answers it, with all that follows from it.
 */
export class ProgramLife implements ProcessLifetime, Reader {
  readonly run: string;
  readonly world: World;
  readonly limits: TreeLimits;
  readonly failures: Failures;
  readonly cooldown: Cooldown;
  readonly budget: LiveBudget;
  readonly outermost: OpenScope;
  readonly #waits = new SignalWaits();
  readonly #doubts = new Doubts();
  readonly #ports: LifePorts;
  readonly #journal: ProgramJournal;
  readonly #rowsTaken = new Set<string>();
  readonly #timers = new Set<() => void>();
  /** Steps that must not happen twice and are being carried out by this life. */
  readonly #atWork = new Set<string>();
  #moved: (() => void)[] = [];
  #resting = 0;
  #over: Error | null = null;
  #diverged: Fault | null = null;

  constructor(ports: LifePorts, claimed: Claimed) {
    const { program, run } = claimed.state;
    this.#ports = ports;
    this.world = ports.world;
    this.run = run;
    this.limits = claimed.limits;
    this.failures = new Failures(claimed.errors);
    this.cooldown = claimed.cooldown ?? new Cooldown();
    this.budget = new LiveBudget(program.budgets, this.world);
    this.outermost = new OpenScope(this, [], null);
    this.#journal = new ProgramJournal(ports, claimed, this);
  }

  get state(): Readonly<ProgramRun> {
    return this.#journal.state;
  }

  get root(): ProgramScope {
    return this.state.program.root;
  }

  get isCancelling(): boolean {
    return this.state.stoppingTo === "cancelled";
  }

  now(): number {
    return this.world.now();
  }

  note(event: RunEvent): void {
    if (this.#over !== null) return;
    this.budget.move(event);
    this.#journal.note(event);
  }

  commit(events: readonly RunEvent[], consumed: readonly string[] = []): Promise<void> {
    if (this.#over !== null) return Promise.reject(this.#over);
    for (const event of this.budget.takeTime()) this.note(event);
    for (const event of events) this.budget.move(event);
    return this.#journal.commit(events, consumed);
  }

  /** What depends on the state is assessed when everything that was committed before it is folded. */
  commitDecided(decide: () => readonly RunEvent[]): Promise<void> {
    return this.#commitDecided(() => ({ events: decide() }));
  }

  #commitDecided(decide: () => Decided): Promise<void> {
    if (this.#over !== null) return Promise.reject(this.#over);
    for (const event of this.budget.takeTime()) this.note(event);
    return this.#journal.commitDecided(() => {
      const decided = decide();
      for (const event of decided.events) this.budget.move(event);
      return decided;
    });
  }

  /** What was recorded; large parts of it are read now. */
  async recorded({ value, apart }: Extract<ProgramRecord, { kind: "value" }>): Promise<unknown> {
    if (apart === undefined) return value;
    const { seq, places } = apart;
    const digests = places.map(({ digest }) => digest);
    const texts = await this.#ports.journal.readApart({ run: this.run, seq }, digests);
    const found = new Map(digests.map((digest, index) => [digest, texts[index] ?? "null"]));
    return withPlaces(value, places, ({ digest }) => JSON.parse(found.get(digest) ?? "null") as unknown);
  }

  read(page: ReadPage): Promise<Recorded[]> {
    return this.#ports.journal.read(this.run, page);
  }

  /** Throws once this life is over. */
  check(): void {
    if (this.#over !== null) throw this.#over;
  }

  /**
   * The workflow function is not what its journal says: nothing new begins any more, even where the program has caught
   * the fault.
   */
  diverge(fault: Fault): Fault {
    const found = (this.#diverged ??= fault);
    this.outermost.stop(() => found);
    return found;
  }

  get diverged(): Fault | null {
    return this.#diverged;
  }

  /** Whether it does nothing but wait for a time, a signal or a person. */
  get isWaiting(): boolean {
    return this.#resting > 0 && !this.budget.clock.isBusy;
  }

  async #rest<Value>(wait: Promise<Value>): Promise<Value> {
    this.#resting += 1;
    return wait.finally(() => (this.#resting -= 1));
  }

  askPerson(scope: OpenScope, key: string): Promise<DoubtAnswer> {
    return this.#rest(this.#doubts.ask(scope, key));
  }

  settleDoubt(scope: OpenScope, key: string, answer: DoubtAnswer): Promise<DoubtAnswer> {
    return this.#doubts.settle(scope, key, answer);
  }

  /** A step that must not happen twice begins; answers the function that ends it. */
  working(key: string): () => void {
    this.#atWork.add(key);
    return () => this.#atWork.delete(key);
  }

  signalled(scope: OpenScope, wait: SignalWait): Promise<Waited<unknown>> {
    return this.#rest(this.#waits.wait(scope, wait));
  }

  /** What is left of it now is waited for, no matter what the wall clock does meanwhile. */
  async until(scope: OpenScope, at: number): Promise<void> {
    const end = elapsedMs(this.world) + at - this.world.now();
    while (elapsedMs(this.world) < end) {
      scope.check();
      const timer = this.delay(Math.min(end - elapsedMs(this.world), TIMER_MS_MAX));
      await this.#rest(scope.race(timer.over)).finally(timer.cancel);
    }
  }

  delay(ms: number): { readonly over: Promise<void>; readonly cancel: () => void } {
    let cancel = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      const stop = this.world.timer(ms, () => {
        this.#timers.delete(stop);
        resolve();
      });
      this.#timers.add(stop);
      cancel = () => {
        stop();
        this.#timers.delete(stop);
      };
    });
    return { over, cancel };
  }

  affords(scope: OpenScope, next: "step" | "iteration"): boolean {
    return this.budget.stopper(scope.path, next) === null;
  }

  /**
   * Goes on while the budget lasts. A child that used up its own fails; where the run's own is used up the run stops,
   * its work kept, until somebody raises it or a child gives something back.
   */
  async afford(scope: OpenScope, next: "step" | "iteration"): Promise<void> {
    let short = this.budget.stopper(scope.path, next);
    if (short === null) return;
    const pay = this.budget.clock.hold(scope.path);
    try {
      while (short !== null) {
        if (short.key !== RUN_BUDGET) throw exhaustedFault(short);
        await scope.commitDecided(() => this.#budgetBlock(scope, next));
        short = this.budget.stopper(scope.path, next);
        if (short === null) break;
        await this.#rest(scope.race(new Promise<void>((resolve) => this.#moved.push(resolve))));
        short = this.budget.stopper(scope.path, next);
      }
    } finally {
      pay();
    }
    await scope.commitDecided(() =>
      this.state.blocked?.reason === "budget_exhausted" ? [{ type: "RunUnblocked", data: {} }] : [],
    );
  }

  #budgetBlock({ path }: OpenScope, next: "step" | "iteration"): RunEvent[] {
    const short = this.budget.stopper(path, next);
    return short?.key !== RUN_BUDGET || this.state.status === "blocked" ? [] : [budgetSpent(short)];
  }

  /** Takes what is in the inbox. */
  async readMail(): Promise<void> {
    const rows = await this.#ports.journal.inbox(this.run);
    for (const row of rows) if (this.#over === null) await this.#takeRow(row);
  }

  /** What could not be recorded any more must not be done either, also where the program has caught the fault. */
  refuseIfBroken(): void {
    if (this.#journal.broken !== null) throw this.#journal.broken;
  }

  /** Ends this life: everything the workflow function still waits for is refused with this error. */
  end(error: Error): void {
    const over = (this.#over ??= error);
    this.#journal.break(error);
    this.outermost.close(() => over);
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  async #takeRow(row: InboxRow): Promise<void> {
    if (this.#rowsTaken.has(row.id)) return;
    this.#rowsTaken.add(row.id);
    const read = readRequest(row);
    if (read.kind === "refused") {
      await this.#commitDecided(() => ({ events: [read.event], consumed: [row.id] }));
      return;
    }
    const verdicts: MailVerdict[] = [];
    // Two words about one thing may be there at once: the second is assessed by what became of the first.
    await this.#commitDecided(() => {
      const principal = claimedPrincipal(row.principal, row.by);
      const isAtWork = (key: string): boolean => this.#atWork.has(key);
      const verdict = answerMail(this.state, read.request, { ...row, principal, isAtWork });
      verdicts.push(verdict);
      return { events: received({ ...row, principal }, read.request, verdict), consumed: [row.id] };
    });
    for (const { settled, cancels } of verdicts) {
      for (const { key, answer } of settled) this.#doubts.answer(key, answer);
      if (cancels) this.outermost.stop(() => cancelledFault(this.run), "cleanup");
    }
  }

  /** After every append: waits take signals that are there, and the one that waits for a change looks again. */
  appended(): void {
    const moved = this.#moved;
    if (moved.length > 0) this.#moved = [];
    for (const look of moved) look();
    if (this.state.status === "blocked" && forgottenDoubt(this.state).length > 0)
      this.commitDecided(() => forgottenDoubt(this.state)).catch(() => undefined);
    this.#waits.pump(this.state.program);
  }
}
