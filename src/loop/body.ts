import type { Duration } from "../model/duration.ts";

/** What a body is given: every call is committed once and answered from the journal ever after. */
export interface Run {
  readonly runId: string;
  /** Fires when the run is cancelled or the store is closed. */
  readonly signal: AbortSignal;
  step<Value>(
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options?: StepOptions<Value>,
  ): Promise<Value>;
  loop<State>(name: string, initial: State, iterate: Iterate<State>): Promise<State>;
  spawn<Input, Value>(
    name: string,
    child: Body<Input, Value>,
    input: Input,
    options?: SpawnOptions,
  ): Promise<Value>;
  sleep(duration: Duration): Promise<void>;
  waitFor<Value = unknown>(name: string, options?: { readonly timeout?: Duration }): Promise<Waited<Value>>;
  now(): number;
  random(): number;
  id(): string;
  log(text: string): void;
  readonly budget: BudgetHandle;
}

export type Body<Input = unknown, Value = unknown> = (run: Run, input: Input) => Value | Promise<Value>;
export type Iterate<State> = (state: State, i: number, it: Run) => Turn<State> | Promise<Turn<State>>;
export interface Turn<State> {
  readonly state: State;
  readonly done: boolean;
}
export type Waited<Value> =
  { readonly value: Value; readonly timedOut?: never } | { readonly timedOut: true };

export interface StepContext {
  /** The same however often the step is tried: give it to services that know idempotency keys. */
  readonly key: string;
  readonly signal: AbortSignal;
}

export interface StepOptions<Value> {
  /** `once` writes its intent first; without an end after a crash the step is in doubt. */
  readonly effect?: "once";
  /** What to do in doubt: do it again, ask a person, or let a function find out. */
  readonly inDoubt?: "retry" | "ask" | ((key: string) => Recovered<Value> | Promise<Recovered<Value>>);
}
export type Recovered<Value> = { readonly done: Value } | "retry" | "ask";

export interface SpawnOptions {
  /** Tries after the first one that failed. */
  readonly restarts?: number;
}

export interface Spending {
  readonly tokens?: number;
  readonly usd?: number;
}

export interface BudgetHandle {
  /** Recorded with the next commit; what is spent beyond the budget stops the run at its next step. */
  spend(spending: Spending): void;
  /** What is left, by kind; a kind without a limit is absent. */
  left(): {
    readonly tokens?: number;
    readonly usd?: number;
    readonly iterations?: number;
    readonly timeMs?: number;
  };
}
