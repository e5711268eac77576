import { childScope, keyOf, keyText } from "../../model/values/program-key.ts";
import type { ProgramRecord, ProgramScope, ProgramState } from "../../model/state/program-state.ts";

/** Keys of the children that are under way, the innermost first. */
export function openChildren(scope: ProgramScope, path: readonly string[] = []): string[] {
  const keys: string[] = [];
  for (const [name, record] of Object.entries(scope.records)) {
    if (record.kind !== "spawned") continue;
    const part = childScope(name, record.attempt);
    const inner = scope.scopes[part];
    if (inner !== undefined) keys.push(...openChildren(inner, [...path, part]));
    keys.push(keyOf(path, name));
  }
  for (const [part, inner] of Object.entries(scope.scopes))
    if (part.startsWith("loop:")) keys.push(...openChildren(inner, [...path, part]));
  return keys;
}

/** Keys of the children that were cancelled, wherever they are still kept. */
export function cancelledChildren(scope: ProgramScope, path: readonly string[] = []): string[] {
  const here = Object.entries(scope.records)
    .filter(
      ([name, record]) =>
        name.startsWith("spawn:") && record.kind === "error" && record.error.code === "cancelled",
    )
    .map(([name]) => keyOf(path, name));
  const inside = Object.entries(scope.scopes).flatMap(([part, inner]) =>
    cancelledChildren(inner, [...path, part]),
  );
  return [...here, ...inside];
}

/** Every record of a scope and of what lies inside it, with its key. */
export function recordsIn(
  scope: ProgramScope,
  path: readonly string[] = [],
): (readonly [key: string, record: ProgramRecord])[] {
  const here = Object.entries(scope.records).map(([name, record]) => [keyOf(path, name), record] as const);
  const inside = Object.entries(scope.scopes).flatMap(([part, inner]) => recordsIn(inner, [...path, part]));
  return [...here, ...inside];
}

/** Names of the signals that somebody waits for. */
export const openWaits = ({ root }: ProgramState): string[] => [
  ...new Set(recordsIn(root).flatMap(([, record]) => (record.kind === "waiting" ? [record.name] : []))),
];

/**
 * The steps of which something may be said: a person was asked about them, or a process of that epoch or an earlier
 * one began them and did not live to record their end.
 */
export function openDoubts({ root, doubts }: ProgramState, epoch: number | undefined): string[] {
  if (epoch === undefined) return doubts;
  const left = recordsIn(root).flatMap(([key, record]) =>
    record.kind === "intended" && (record.epoch ?? 0) <= epoch && !doubts.includes(key) ? [key] : [],
  );
  return [...doubts, ...left];
}

/** A step as a person names it: its key, with or without the run's id before it, or its name where one open step has it. */
export function namedStep(run: string, text: string, open: readonly string[]): string {
  const key = text.startsWith(`${run}/`) ? text.slice(run.length + 1) : text;
  if (open.includes(key)) return key;
  const [only, ...others] = open.filter((one) => keyText(one) === text);
  return only !== undefined && others.length === 0 ? only : key;
}

export const notInDoubt = (run: string, key: string, open: readonly string[]): string =>
  `no step "${key}" of ${run} is in doubt; in doubt: ${open.join(", ") || "none"}`;

/** Keys of the steps and children that failed, wherever they are still kept; those that were cancelled did not. */
export const failedIn = (scope: ProgramScope, path: readonly string[] = []): string[] =>
  recordsIn(scope, path).flatMap(([key, record]) =>
    record.kind === "error" && record.error.code !== "cancelled" ? [key] : [],
  );

/** Keys of the steps that were done because the run was cancelled. */
export const cleanupSteps = (root: ProgramScope): string[] =>
  recordsIn(root).flatMap(([key, record]) => ("cleanup" in record ? [key] : []));
