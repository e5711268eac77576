import { AsyncLocalStorage } from "node:async_hooks";
import { keyText } from "../../model/values/program-key.ts";
import { Fault } from "../../model/fault.ts";

interface Inside {
  readonly scope: readonly string[];
  /** The step whose work is running, if one is. */
  readonly step: string | null;
}

/** Where a call comes from: the innermost scope whose code is running. */
const inside = new AsyncLocalStorage<Inside>();

export const runInside = <Value>(scope: readonly string[], work: () => Value): Value =>
  inside.run({ scope, step: null }, work);

export const runInStep = <Value>(scope: readonly string[], step: string, work: () => Value): Value =>
  inside.run({ scope, step }, work);

const lies = (inner: readonly string[], within: readonly string[]): boolean =>
  within.every((part, index) => inner[index] === part);

/** Whether a call of that scope comes from the work of a step. */
export function isInStep(scope: readonly string[]): boolean {
  const from = inside.getStore();
  return from !== undefined && from.step !== null && lies(from.scope, scope);
}

/**
 * A call on an outer scope from inside an inner one, or from the work of a step, would be recorded in the wrong place:
 * after a resume the inner one is not entered again, and the outer name would be missing.
 */
export function checkInside(scope: readonly string[], kind: string, name: string): void {
  const from = inside.getStore();
  // The common case at once: it is asked of every call.
  if (from === undefined || (from.scope === scope && from.step === null) || !lies(from.scope, scope)) return;
  const call = `${kind}("${name}")`;
  if (from.step !== null)
    throw new Fault(
      "usage",
      `${call} was called from the work of step "${keyText(from.step)}"; a step is done as one: call it before or after the step`,
    );
  if (from.scope.length <= scope.length) return;
  throw new Fault(
    "usage",
    `${call} was called on an outer scope from inside "${from.scope.at(-1) ?? ""}"; call it on what that callback is given`,
  );
}
