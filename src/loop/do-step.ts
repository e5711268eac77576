import type { StepContext, StepOptions } from "./body.ts";
import { isStop, recordedError } from "./body-error.ts";
import { isOpen } from "./doubts.ts";
import { asJson } from "./json-value.ts";
import type { OpenScope } from "./open-scope.ts";
import { runInStep } from "./scope-guard.ts";

type Work<Value> = (step: StepContext) => Value | Promise<Value>;

interface StepOrder<Value> {
  readonly key: string;
  readonly work: Work<Value>;
  readonly options: StepOptions<Value>;
  /** An earlier life wrote the intent and no end: it is in doubt. */
  readonly intended: boolean;
}

/** Does a step that has no recorded end. A plain one is one append; one that must happen once writes its intent first (I2). */
export function doStep<Value>(scope: OpenScope, order: StepOrder<Value>): Promise<Value> {
  const isPlain = !order.intended && order.options.effect !== "once";
  return isPlain ? attempt(scope, order.key, order.work) : doMarkedStep(scope, order);
}

async function doMarkedStep<Value>(scope: OpenScope, order: StepOrder<Value>): Promise<Value> {
  const { world } = scope.life;
  const { key, work, options } = order;
  const doubt = order.intended ? await resolveDoubt(scope, order) : null;
  if (doubt !== null) return doubt.done;
  if (!isOpen(scope.life, key)) {
    await scope.commit([{ type: "BodyStepIntended", data: { key } }]);
    world.crashPoint("loop.once.before");
  }
  const isOnce = options.effect === "once";
  return attempt(scope, key, work, () => {
    if (isOnce) world.crashPoint("loop.once.after");
  });
}

/**
 * Does the work and records its end, all in one function: between two commits of a body there is little else to do,
 * and every function that is awaited costs some of its pace.
 */
async function attempt<Value>(
  scope: OpenScope,
  key: string,
  work: Work<Value>,
  done?: () => void,
): Promise<Value> {
  const { life, path } = scope;
  life.refuseIfBroken();
  const pay = life.budget.clock.busy(path);
  let value: Value;
  try {
    const context = new StepCall(scope, `${life.run}/${key}`);
    value = asJson(await runInStep(path, key, () => work(context)), `the result of step "${key}"`);
  } catch (error) {
    // What fails because this life or its scope ends has not failed.
    if (isStop(error) || scope.isStopped) throw error;
    const recorded = recordedError(error);
    await scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "error", error: recorded } } }]);
    throw life.failure(key, recorded, error);
  } finally {
    pay();
  }
  done?.();
  await end(scope, key, value);
  return value;
}

const end = (scope: OpenScope, key: string, value: unknown): Promise<void> =>
  scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "value", value } } }]);

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
  const found = typeof declared === "function" ? await declared(`${scope.life.run}/${key}`) : declared;
  const { life } = scope;
  const told =
    found === "ask"
      ? await life.askPerson(scope, key)
      : await life.settleDoubt(scope, key, found === "retry" ? null : recovered(key, found.done));
  return told as { done: Value } | null;
}

const recovered = (key: string, done: unknown): { done: unknown } => ({
  done: asJson(done, `what was recovered of step "${key}"`),
});
