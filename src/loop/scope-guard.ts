import { AsyncLocalStorage } from "node:async_hooks";
import { Fault } from "../model/fault.ts";

/** Where a call comes from: the innermost scope whose code is running. */
const inside = new AsyncLocalStorage<readonly string[]>();

export const runInside = <Value>(scope: readonly string[], work: () => Value): Value =>
  inside.run(scope, work);

/**
 * A call on an outer scope from inside an inner one would be recorded in the wrong place: after a resume the inner
 * scope is not entered again, and the outer name would be missing.
 */
export function checkInside(scope: readonly string[], call: string): void {
  const from = inside.getStore();
  if (from === undefined || from.length <= scope.length) return;
  if (!scope.every((part, index) => from[index] === part)) return;
  throw new Fault(
    "usage",
    `${call} was called on an outer scope from inside "${from.at(-1) ?? ""}"; call it on what that callback is given`,
  );
}
