import type { StepContext, StepOptions } from "./body.ts";
import { isStop, recordedError } from "./body-error.ts";
import { asJson } from "./json-value.ts";
import type { OpenScope } from "./open-scope.ts";
import { runInStep } from "./scope-guard.ts";

interface StepOrder<Value> {
  readonly key: string;
  readonly work: (step: StepContext) => Value | Promise<Value>;
  readonly options: StepOptions<Value>;
  /** An earlier life wrote the intent and no end: it is in doubt. */
  readonly intended: boolean;
}

/** Does a step that has no recorded end. A plain one is one append; one that must happen once writes its intent first (I2). */
export async function doStep<Value>(scope: OpenScope, order: StepOrder<Value>): Promise<Value> {
  const { world } = scope.life;
  if (order.intended) {
    const known = await resolveDoubt(scope, order);
    if (known !== null) return known.recorded ? known.done : end(scope, order.key, known.done);
  } else if (order.options.effect === "once") {
    await scope.commit([{ type: "BodyStepIntended", data: { key: order.key } }]);
    world.crashPoint("loop.once.before");
  }
  const value = await attempt(scope, order);
  if (order.options.effect === "once") world.crashPoint("loop.once.after");
  return end(scope, order.key, value);
}

async function attempt<Value>(scope: OpenScope, { key, work }: StepOrder<Value>): Promise<Value> {
  const { life, path } = scope;
  const pay = life.budget.clock.busy(path);
  try {
    return asJson(
      await runInStep(path, key, () => work(contextOf(scope, `${life.run}/${key}`))),
      `the result of step "${key}"`,
    );
  } catch (error) {
    // What fails because this life or its scope ends has not failed.
    if (isStop(error) || scope.isStopped) throw error;
    const recorded = recordedError(error);
    await scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "error", error: recorded } } }]);
    throw life.failure(key, recorded, error);
  } finally {
    pay();
  }
}

/** The signal is made when the step looks at it. */
const contextOf = (scope: OpenScope, key: string): StepContext => ({
  key,
  get signal() {
    return scope.signal;
  },
});

async function end<Value>(scope: OpenScope, key: string, value: Value): Promise<Value> {
  await scope.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "value", value } } }]);
  return value;
}

/** Never guessed: what was declared decides, or a person (J6), whose word is recorded as it is heard. Null: do it again. */
async function resolveDoubt<Value>(
  scope: OpenScope,
  { key, options }: StepOrder<Value>,
): Promise<{ done: Value; recorded: boolean } | null> {
  const declared = options.inDoubt ?? "ask";
  const found = typeof declared === "function" ? await declared(`${scope.life.run}/${key}`) : declared;
  if (found === "retry") return null;
  if (found !== "ask")
    return { done: asJson(found.done, `what was recovered of step "${key}"`), recorded: false };
  const told = await scope.life.askPerson(scope, key);
  return told === null ? null : { done: told.done as Value, recorded: true };
}
