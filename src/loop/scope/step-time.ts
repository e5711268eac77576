import { durationMs, type Duration } from "../../model/text/duration.ts";
import type { ProcessLifetime } from "./open-scope.ts";

/** The work of a step did not end in time. Whether it had an effect is not known. */
export class StepTimeout extends Error {
  override readonly name = "StepTimeout";
  readonly code = "step_timeout";
}

/** Gives the work a signal that also fires when its time is over, and does not wait for work that ignores it. */
export async function inTime<Value>(
  life: ProcessLifetime,
  {
    name,
    timeout,
    signal,
  }: { readonly name: string; readonly timeout: Duration; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> {
  const late = new AbortController();
  const timer = life.delay(durationMs(timeout));
  const over = timer.over.then(() => {
    const why = new StepTimeout(`step "${name}" did not end within ${String(timeout)}`);
    late.abort(why);
    throw why;
  });
  over.catch(() => undefined);
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), over]);
  } finally {
    timer.cancel();
  }
}
