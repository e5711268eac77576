import { keyText } from "../../model/values/program-key.ts";
import type { ProgramRecord } from "../../model/state/program-state.ts";
import type { StepContext, StepOptions } from "../workflow-function.ts";
import { isStop } from "../life/program-error.ts";
import { isOpen } from "./doubts.ts";
import { asJson } from "./json-value.ts";
import type { OpenScope } from "./open-scope.ts";
import { runInStep } from "./scope-guard.ts";
import { nextTry, type TriedBefore } from "./step-policy.ts";
import { StepTimeout, inTime } from "./step-time.ts";

type Work<Value> = (step: StepContext) => Value | Promise<Value>;

interface StepOrder<Value> {
  readonly key: string;
  readonly work: Work<Value>;
  readonly options: StepOptions<Value>;
  /** An intent without an end puts it in doubt; a failed try is waited for. */
  readonly record: ProgramRecord | undefined;
}

/** How often a step that must not happen twice may run out of its time. */
const TIMEOUTS_MAX = 10;

/**
 * Does a step that has no recorded end. A plain one is one append; one that must happen once writes its intent first
 * (I2). One that fails and is tried again records that, with the time of its next try, before it waits.
 *
 * On disk: nothing, or an intent, while its work is done; `tried` while it waits; its end. A process that dies in between
 * leaves what the next one goes on with.
 */
export async function doStep<Value>(scope: OpenScope, order: StepOrder<Value>): Promise<Value> {
  const { record, options } = order;
  if (record?.kind === "intended") {
    const doubt = await resolveDoubt(scope, order);
    if (doubt !== null) return doubt.done;
  }
  const tried = record?.kind === "tried" ? record : undefined;
  if (tried !== undefined) await waitOut(scope, tried.until);
  // An intent that the policy lets stand is not written twice.
  return options.effect === "once" || isOpen(scope.life, order.key)
    ? doOnce(scope, order, tried)
    : attempt(scope, order, { tried });
}

async function doOnce<Value>(
  scope: OpenScope,
  order: StepOrder<Value>,
  before: TriedBefore | undefined,
): Promise<Value> {
  const { life } = scope;
  const { key, options } = order;
  const isOnce = options.effect === "once";
  for (let timeouts = 0, tried = before; ;) {
    const over = life.working(key);
    try {
      if (!isOpen(life, key)) {
        await scope.commit([{ type: "BodyStepIntended", data: { key } }]);
        life.world.crashPoint("loop.once.before");
      }
      const done = (): void => {
        if (isOnce) life.world.crashPoint("loop.once.after");
      };
      return await attempt(scope, order, { tried, done, isOnce });
    } catch (error) {
      over();
      if (error instanceof TryAgain) tried = error.tried;
      // A run that is being cancelled asks nobody.
      else if (error instanceof InDoubt && timeouts < TIMEOUTS_MAX && !scope.isCleanup) {
        timeouts += 1;
        const doubt = await resolveDoubt(scope, order);
        if (doubt !== null) return doubt.done;
      } else throw error instanceof InDoubt ? await failed(scope, key, error.timeout) : error;
    } finally {
      over();
    }
  }
}

/** The step waited for its next try; where an intent is needed it is written first. */
class TryAgain extends Error {
  readonly tried: TriedBefore;
  constructor(tried: TriedBefore) {
    super("it is tried again");
    this.tried = tried;
  }
}

/** Its time is over, and nobody knows what it did. */
class InDoubt extends Error {
  readonly timeout: StepTimeout;
  constructor(timeout: StepTimeout) {
    super("it is in doubt");
    this.timeout = timeout;
  }
}

interface Attempt {
  readonly tried: TriedBefore | undefined;
  readonly done?: () => void;
  readonly isOnce?: boolean;
}

/**
 * Does the work and records its end, all in one function: between two commits of a workflow function there is little
 * else to do, and every function that is awaited costs some of its pace.
 */
async function attempt<Value>(
  scope: OpenScope,
  { key, work, options }: StepOrder<Value>,
  { tried: before, done, isOnce = false }: Attempt,
): Promise<Value> {
  const { life, path } = scope;
  const { timeout } = options;
  for (let tried = before; ;) {
    life.refuseIfBroken();
    const pay = life.budget.clock.busy(path);
    let value: Value;
    try {
      const context = new StepCall(scope, `${life.run}/${key}`);
      const doing = runInStep(path, key, () =>
        timeout === undefined
          ? work(context)
          : inTime(life, { name: keyText(key), timeout, signal: scope.signal }, (signal) =>
              work({ key: context.key, signal }),
            ),
      );
      value = asJson(await doing, `the result of step "${key}"`);
    } catch (error) {
      pay();
      // What fails because this life or its scope ends has not failed.
      if (isStop(error) || scope.isStopped) throw error;
      if (isOnce && error instanceof StepTimeout) throw new InDoubt(error);
      const next = await tryNext(scope, { key, options, error, before: tried });
      if (next === null) throw await failed(scope, key, error);
      if (isOnce) throw new TryAgain(next);
      tried = next;
      continue;
    }
    pay();
    done?.();
    await scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "value", value } } }]);
    return value;
  }
}

/** Records that it failed for good; answers what is thrown. */
async function failed(scope: OpenScope, key: string, error: unknown): Promise<Error> {
  const { failures } = scope.life;
  const recorded = failures.record(error);
  await scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "error", error: recorded } } }]);
  return failures.of(key, recorded, error);
}

interface FailedTry {
  readonly key: string;
  readonly options: StepOptions<unknown>;
  readonly error: unknown;
  readonly before: TriedBefore | undefined;
}

/** Records a try that failed and waits for the next one; null if there is none. */
async function tryNext(scope: OpenScope, failure: FailedTry): Promise<TriedBefore | null> {
  const { life } = scope;
  const { key, options, error, before } = failure;
  const recorded = life.failures.record(error);
  const now = life.now();
  const chance = life.world.chance();
  const own = nextTry(options, { error, recorded, before, now, chance });
  if (own === null) return null;
  const tryKey = `${life.run}/${key}#${String(own.attempt)}`;
  const until = await life.cooldown.extend({
    run: life.run,
    key: tryKey,
    error,
    until: own.until,
    world: life.world,
  });
  const next = { ...own, until };
  life.world.crashPoint("loop.retry.before");
  await scope.commit([{ type: "BodyStepTried", data: { key, ...next, error: recorded } }]);
  life.world.crashPoint("loop.retry.after");
  await waitOut(scope, next.until);
  return next;
}

/** Waiting is not working: it is not paid for. */
async function waitOut(scope: OpenScope, until: number): Promise<void> {
  const pay = scope.life.budget.clock.hold(scope.path);
  try {
    await scope.life.until(scope, until);
  } finally {
    pay();
  }
}

/** The signal is made when the step looks at it. */
class StepCall implements StepContext {
  readonly key: string;
  readonly #scope: OpenScope;

  constructor(scope: OpenScope, key: string) {
    this.key = key;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }
}

/**
 * Never guessed: what was declared decides, or a person (J6). The answer is recorded before anything follows from it;
 * null lets the step be done. A word that it did not happen takes the intent back where a person was asked: it begins
 * with a new one, or a death after it would not be noticed.
 */
async function resolveDoubt<Value>(
  scope: OpenScope,
  { key, options }: StepOrder<Value>,
): Promise<{ done: Value } | null> {
  const declared = options.inDoubt ?? "ask";
  const { life, path } = scope;
  // What it spends belongs to the step, whose work is not done again.
  const found =
    typeof declared === "function"
      ? await runInStep(path, key, () => declared(`${life.run}/${key}`))
      : declared;
  const text =
    found === "ask"
      ? await life.askPerson(scope, key)
      : await life.settleDoubt(scope, key, found === "retry" ? null : recovered(key, found.done));
  return text as { done: Value } | null;
}

const recovered = (key: string, done: unknown): { done: unknown } => ({
  done: asJson(done, `what was recovered of step "${key}"`),
});
