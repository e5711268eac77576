import type { ProgramRecord, ProgramScope } from "../../model/state/program-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Fault } from "../../model/fault.ts";
import type { ProgramRun } from "../../model/state/run-state.ts";
import type { World } from "../../model/world.ts";
import type { TreeLimits, Waited } from "../workflow-function.ts";
import type { Cooldown } from "../cooldown.ts";
import type { Failures } from "./failures.ts";
import type { LiveBudget } from "./live-budget.ts";

/** What a person said of a step in doubt: it was done, with that value, or it may be done again (null). */
export type DoubtAnswer = { readonly done: unknown } | null;

/** What the scopes of a workflow function need of the life they are in. */
export interface ProcessLifetime {
  readonly run: string;
  readonly world: World;
  readonly state: Readonly<ProgramRun>;
  readonly root: ProgramScope;
  readonly limits: TreeLimits;
  readonly budget: LiveBudget;
  readonly failures: Failures;
  /** Shared by all runs of the process. */
  readonly cooldown: Cooldown;
  now(): number;
  note(event: RunEvent): void;
  commit(events: readonly RunEvent[]): Promise<void>;
  /** What depends on the state is assessed when everything that was committed before it is folded. */
  commitDecided(decide: () => readonly RunEvent[]): Promise<void>;
  /** Throws once this life is over. */
  check(): void;
  recorded(record: Extract<ProgramRecord, { kind: "value" }>): Promise<unknown>;
  /** The workflow function is not what its journal says: nothing new begins; answers what is thrown. */
  diverge(fault: Fault): Fault;
  /** Throws once nothing more can be recorded. */
  refuseIfBroken(): void;
  until(scope: OpenScope, at: number): Promise<void>;
  delay(ms: number): { readonly over: Promise<void>; readonly cancel: () => void };
  /** Whether the budget lasts for it; most often it does, and nobody need wait for the answer. */
  affords(scope: OpenScope, next: "step" | "iteration"): boolean;
  afford(scope: OpenScope, next: "step" | "iteration"): Promise<void>;
  /** Blocks the run until a person says what became of a step in doubt. */
  askPerson(scope: OpenScope, key: string): Promise<DoubtAnswer>;
  /** The program says it; answers what holds, which a person may have said before. */
  settleDoubt(scope: OpenScope, key: string, answer: DoubtAnswer): Promise<DoubtAnswer>;
  /** A step that must not happen twice begins; answers the function that ends it. */
  working(key: string): () => void;
  signalled(scope: OpenScope, wait: SignalWait): Promise<Waited<unknown>>;
}

export interface SignalWait {
  readonly key: string;
  readonly name: string;
  readonly until: number | null;
}

/** Why a scope ended, as an error made when it is needed: most endings nobody asks about. */
export type Why = () => Error;

/** What the run may still do once it is stopped: nothing new, or steps that clean up. */
export type AfterStop = "nothing" | "cleanup";

/**
 * A scope while its code is running, and the scopes inside it.
 *
 * States: open; stopped (the run is being cancelled: nothing new begins, but what just ended is still recorded);
 * cleaning up (its code was informed by a call that failed: the steps of its `finally` are done); closed (it is
 * settled: nothing of it is recorded any more). Each reaches everything inside.
 */
export class OpenScope {
  readonly life: ProcessLifetime;
  readonly path: readonly string[];
  readonly #outer: OpenScope | null;
  /** Made with the first scope inside: most have none. */
  #inner: Set<OpenScope> | null = null;
  /** Made when somebody asks for its signal: most iterations never do. */
  #abort: AbortController | null = null;
  #stopped: Why | null = null;
  #closed: Why | null = null;
  #after: AfterStop = "nothing";
  /** Where steps that clean up are done; made once the code was informed. */
  #cleanup: OpenScope | null = null;
  #hasCleanup = false;
  readonly isCleanup: boolean;

  constructor(life: ProcessLifetime, path: readonly string[], outer: OpenScope | null, isCleanup = false) {
    this.life = life;
    this.path = path;
    this.#outer = outer;
    this.isCleanup = isCleanup;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopped !== null) this.#abort.abort(this.#stopped());
    }
    return this.#abort.signal;
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  open(part: string): OpenScope {
    const inner = new OpenScope(this.life, [...this.path, part], this);
    (this.#inner ??= new Set()).add(inner);
    if (this.#stopped !== null) inner.stop(this.#stopped, this.#after);
    return inner;
  }

  /** One that cleans up goes on when it is stopped to clean up once more. */
  stop(why: Why, after: AfterStop = "nothing"): void {
    if (after === "cleanup" && (this.isCleanup || this.#stopped !== null)) return;
    this.#stopped ??= why;
    this.#after = after;
    if (this.#inner !== null) for (const inner of this.#inner) inner.stop(why, after);
    this.#abort?.abort(why());
  }

  /** The code of this scope has seen a call fail because it is stopped: what it does from now on cleans up. */
  answer(): void {
    if (this.#stopped === null || this.#after !== "cleanup" || this.#cleanup !== null) return;
    const inner = new OpenScope(this.life, this.path, this, true);
    (this.#inner ??= new Set()).add(inner);
    this.#cleanup = inner;
  }

  /** Where a step is done that begins now: here, or where this scope cleans up. */
  forStep(): OpenScope {
    if (this.#cleanup === null) return this;
    this.#cleanup.#hasCleanup = true;
    return this.#cleanup;
  }

  /** Whether a step that cleans up was begun here or inside. */
  get hasCleanup(): boolean {
    return this.#hasCleanup || [...(this.#inner ?? [])].some((inner) => inner.hasCleanup);
  }

  get isCleaningUp(): boolean {
    return this.#cleanup !== null;
  }

  /** Everything that still runs inside is informed, and nothing is received from it any more. */
  close(why: Why): void {
    this.#closed ??= why;
    if (this.#inner !== null) for (const inner of this.#inner) inner.close(why);
    this.#inner = null;
    this.#outer?.forget(this);
    this.stop(why);
  }

  forget(inner: OpenScope): void {
    this.#inner?.delete(inner);
  }

  /** Throws once nothing new may begin here. */
  check(): void {
    this.life.check();
    if (this.#stopped !== null) throw this.#stopped();
  }

  note(event: RunEvent): void {
    if (this.#closed === null) this.life.note(event);
  }

  commit(events: readonly RunEvent[]): Promise<void> {
    if (this.#closed !== null) return Promise.reject(this.#closed());
    return this.life.commit(this.isCleanup ? events.map(asCleanup) : events);
  }

  /** Of a scope that is closed by then nothing is assessed or recorded, and nothing goes on. */
  async commitDecided(decide: () => readonly RunEvent[]): Promise<void> {
    if (this.#closed === null) await this.life.commitDecided(() => (this.#closed === null ? decide() : []));
    if (this.#closed !== null) throw this.#closed();
  }

  /** A wait ends early when the scope is stopped or this life is over. */
  async race<Value>(wait: Promise<Value>): Promise<Value> {
    this.check();
    const { signal } = this;
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => {
        reject(signal.reason as Error);
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

const asCleanup = (event: RunEvent): RunEvent =>
  event.type === "BodyStepIntended" || event.type === "BodyStepEnded" || event.type === "BodyStepTried"
    ? ({ ...event, data: { ...event.data, cleanup: true } } as RunEvent)
    : event;
