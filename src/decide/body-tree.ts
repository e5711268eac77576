import { childScope, keyOf } from "../model/body-key.ts";
import type { BodyScope } from "../model/body-state.ts";

/** Keys of the children that are under way, the innermost first. */
export function openChildren(scope: BodyScope, path: readonly string[] = []): string[] {
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
export function cancelledChildren(scope: BodyScope, path: readonly string[] = []): string[] {
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
