import type { Duration } from "../model/text/duration.ts";
import type { Budget } from "../model/requests/budget.ts";
import type { DeepReadonly, Jsonify } from "../model/values/jsonify.ts";
import type { RepairedMessages } from "./repair/repair-messages.ts";
import type { MessageShape } from "./repair/repair.ts";

/** What a workflow function is given: every call is committed once and answered from the journal ever after. */
export interface Run {
  readonly runId: string;
  /** Fires when the run or this child is cancelled, when its scope has ended, or when the store is closed. */
  readonly signal: AbortSignal;
  step<Value>(
    name: string,
    work: (step: StepContext) => Value | Promise<Value>,
    options?: StepOptions<Value>,
  ): Promise<Jsonify<Value>>;
  /** The state is frozen: give back a new one. Say what a list will hold: `{ messages: [] as Message[] }`. */
  loop<State>(name: string, initial: State, iterate: Iterate<NoInfer<State>>): Promise<LoopState<State>>;
  spawn<Input, Value>(
    name: string,
    child: WorkflowFunction<Input, Value>,
    input: Input,
    options?: SpawnOptions,
  ): Promise<Jsonify<Value>>;
  /** Children side by side. `fail-fast` (the default) throws the first failure and cancels the rest; `collect` waits for all. */
  spawnAll<Group extends NamedChildren, const Options extends GroupOptions = GroupOptions>(
    children: Group & CheckedNames<Group>,
    options?: Options,
  ): Promise<GroupResult<Group, Options>>;
  spawnAll<List extends readonly AnyListed[], const Options extends GroupOptions = GroupOptions>(
    children: List & CheckedList<List>,
    options?: Options,
  ): Promise<GroupResult<List, Options>>;
  sleep(duration: Duration): Promise<void>;
  waitFor<Value = unknown>(name: string, options?: { readonly timeout?: Duration }): Promise<Waited<Value>>;
  /**
   * Whether changed code is to take its new way: true in a run that comes here for the first time, and ever after; false
   * in one that came by here with the code of before. `if (run.patched("pay-v2")) … else …` keeps both working.
   */
  patched(name: string): boolean;
  /** The step, child, loop or wait of that name is not asked for any more; a run that has it recorded goes on without. */
  retired(name: string): void;
  now(): number;
  random(): number;
  id(): string;
  log(text: string): void;
  /**
   * Repairs a message history after a crash: a tool call without a result is answered from the step `tool/<call id>`
   * recorded in this scope or one around it, and marked interrupted where there is none.
   */
  repair<Message>(
    messages: readonly Message[],
    options?: { readonly shape?: MessageShape },
  ): RepairedMessages<Message>;
  readonly budget: BudgetHandle;
}

export type WorkflowFunction<Input = unknown, Value = unknown> = (
  run: Run,
  input: Input,
) => Value | Promise<Value>;
/** The state of a loop as it is given to its iterations, and at its end. */
export type LoopState<State> = DeepReadonly<Jsonify<State>>;
export type Iterate<State> = (
  state: LoopState<State>,
  i: number,
  it: Run,
) => Turn<State> | Promise<Turn<State>>;
export interface Turn<State> {
  /** Parts of the state before may be in it as they are. */
  readonly state: State | DeepReadonly<State> | LoopState<State>;
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
  /**
   * When a step that fails is tried again; false for never. Without it trouble of a provider (429, 529, overloaded, the
   * network) is waited out for up to an hour, and any other error is the end of the step.
   */
  readonly retries?: StepRetries | false;
  /** The longest one try may take. What must not happen twice is then in doubt, else it has failed. */
  readonly timeout?: Duration;
}

export interface StepRetries {
  /** How often it is tried at all. */
  readonly attempts: number;
  /** The wait between two tries, or how it grows; from 1 s, doubled, up to 1 min unless said. */
  readonly backoff?: Duration | StepBackoff;
  /** Errors that end the step at once: names or codes, or a function that says so. */
  readonly nonRetryable?: readonly string[] | ((error: Error) => boolean);
}

export interface StepBackoff {
  readonly initial?: Duration;
  readonly factor?: number;
  readonly max?: Duration;
}
export type Recovered<Value> = { readonly done: Value } | "retry" | "ask";

export interface SpawnOptions {
  /** Tries after the first one that failed; with `within`, so many in that time, else so many at all. */
  readonly restarts?: number;
  /** The window in which restarts are counted, by recorded time: a child that fails now and then goes on for ever. */
  readonly within?: Duration;
  /** Reserved from what is around the child, spent by it and its children, and what is left goes back. */
  readonly budget?: Budget;
}

/** How far the tree of children may grow. */
export interface TreeLimits {
  /** Children inside children; 4 unless said otherwise. */
  readonly depth: number;
  /** Children of one scope; 10 000 unless said otherwise. */
  readonly children: number;
}

export interface Spending {
  readonly tokens?: number;
  readonly usd?: number;
}

/**
 * The budget this scope draws on, by kind: total = free + reserved + spent. A kind without a limit has no total and
 * nothing free. What is read here changes as others work; do not let the workflow function's way depend on it outside
 * of a step.
 */
export interface BudgetHandle {
  readonly total: Budget;
  /** Negative by what the last step spent beyond the budget. */
  readonly free: Budget;
  /** Held by children with a budget of their own. */
  readonly reserved: Budget;
  readonly spent: Budget;
  /** What is free, and 0 where it is overdrawn. */
  readonly remaining: Budget;
  /** Recorded with the next commit; what is spent beyond the budget stops the scope before its next step. */
  spend(spending: Spending): void;
}

/** A child of a group, by name: `{ tests: [runTests, input, { restarts: 1 }] }`. */
export type NamedChild<Input, Value> = readonly [
  child: WorkflowFunction<Input, Value>,
  input: Input,
  options?: SpawnOptions,
];

/** A child of a list: `{ name: "fix/7", child: fixIssue, input: issue }`. */
export interface ListedChild<Input, Value> extends SpawnOptions {
  readonly name: string;
  readonly child: WorkflowFunction<Input, Value>;
  readonly input: Input;
}

// Workflow functions of different inputs stand side by side: each is checked against its own input below.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyWorkflow = WorkflowFunction<any, any>;

type InputOf<Child> = Child extends (run: never, input: infer Input) => unknown ? Input : never;
type ValueOf<Child> = Child extends (...args: never[]) => infer Value ? Jsonify<Awaited<Value>> : never;

/** Groups as they are given, each input being what its child takes. */
export type NamedChildren = Readonly<
  Record<string, readonly [child: AnyWorkflow, input: unknown, options?: SpawnOptions]>
>;
export type CheckedNames<Group extends NamedChildren> = {
  readonly [Name in keyof Group]: readonly [
    child: Group[Name][0],
    input: InputOf<Group[Name][0]>,
    options?: SpawnOptions,
  ];
};
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyListed = ListedChild<any, any>;
export type CheckedList<List extends readonly AnyListed[]> = {
  readonly [Index in keyof List]: Omit<AnyListed, "input"> & {
    readonly input: InputOf<List[Index]["child"]>;
  };
};

export interface GroupOptions {
  readonly onFailure?: "fail-fast" | "collect";
}

export type Settled<Value> =
  | { readonly value: Value; readonly error?: never }
  | { readonly error: Error & { readonly code?: string }; readonly value?: never };

type ChildValue<Child> = Child extends readonly [infer Work, ...unknown[]]
  ? ValueOf<Work>
  : Child extends { readonly child: infer Work }
    ? ValueOf<Work>
    : never;

/** In the order, or under the names, in which the children were given. */
export type GroupResult<Group, Options> = Options extends { readonly onFailure: "collect" }
  ? { -readonly [Key in keyof Group]: Settled<ChildValue<Group[Key]>> }
  : { -readonly [Key in keyof Group]: ChildValue<Group[Key]> };
