import type { StepContext, StepOptions } from "./body.ts";
import { isStop, recordedError } from "./body-error.ts";
import type { BodyLife } from "./body-life.ts";
import { asJson } from "./json-value.ts";

interface StepOrder<Value> {
  readonly key: string;
  readonly work: (step: StepContext) => Value | Promise<Value>;
  readonly options: StepOptions<Value>;
  /** An earlier life wrote the intent and no end: it is in doubt. */
  readonly intended: boolean;
}

/** Does a step that has no recorded end. A plain one is one append; one that must happen once writes its intent first (I2). */
export async function doStep<Value>(life: BodyLife, order: StepOrder<Value>): Promise<Value> {
  if (order.intended) {
    const known = await resolveDoubt(life, order);
    if (known !== null) return end(life, order.key, known.done);
  } else if (order.options.effect === "once") {
    await life.commit([{ type: "BodyStepIntended", data: { key: order.key } }]);
    life.world.crashPoint("loop.once.before");
  }
  const value = await attempt(life, order);
  if (order.options.effect === "once") life.world.crashPoint("loop.once.after");
  return end(life, order.key, value);
}

async function attempt<Value>(life: BodyLife, { key, work }: StepOrder<Value>): Promise<Value> {
  try {
    return asJson(
      await work({ key: `${life.run}/${key}`, signal: life.signal }),
      `the result of step "${key}"`,
    );
  } catch (error) {
    // What fails because this life ends has not failed.
    if (isStop(error) || life.signal.aborted) throw error;
    const recorded = recordedError(error);
    await life.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "error", error: recorded } } }]);
    throw life.failure(key, recorded, error);
  }
}

async function end<Value>(life: BodyLife, key: string, value: Value): Promise<Value> {
  await life.commit([{ type: "BodyStepEnded", data: { key, ended: { kind: "value", value } } }]);
  return value;
}

/** Never guessed: what was declared decides, or a person (J6). Null: do it again. */
async function resolveDoubt<Value>(
  life: BodyLife,
  { key, options }: StepOrder<Value>,
): Promise<{ done: Value } | null> {
  const declared = options.inDoubt ?? "ask";
  const found = typeof declared === "function" ? await declared(`${life.run}/${key}`) : declared;
  if (found === "retry") return null;
  if (found !== "ask") return { done: asJson(found.done, `what was recovered of step "${key}"`) };
  return (await life.askPerson(key)) as { done: Value } | null;
}
