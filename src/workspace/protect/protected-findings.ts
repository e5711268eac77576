import type { Tampering, TrustedEntry } from "../../model/flow/protected.ts";
import { pathOfText } from "../snapshot/tree-path.ts";
import type { Scan } from "./protected-scan.ts";

/** A difference between what is trusted and what is found. */
export interface Difference {
  /** As bytes. */
  readonly at: string;
  readonly act: Tampering["act"];
  readonly trusted: TrustedEntry | null;
  readonly found: TrustedEntry | null;
}

/** What differs, parents before what they hold. */
export function differences(trusted: readonly TrustedEntry[], { entries }: Scan): Difference[] {
  const before = new Map(trusted.map((entry) => [pathOfText(entry.path), entry]));
  const paths = [...new Set([...before.keys(), ...entries.keys()])].sort();
  return paths.flatMap((at): Difference[] => {
    const was = before.get(at) ?? null;
    const is = entries.get(at) ?? null;
    const act = actOf(was, is);
    return act === null ? [] : [{ at, act, trusted: was, found: is }];
  });
}

function actOf(was: TrustedEntry | null, is: TrustedEntry | null): Tampering["act"] | null {
  // A folder alone does nothing; what is in it has its own entry.
  if (was === null) return is === null || is.kind === "folder" ? null : "created";
  if (is === null) return "removed";
  if (was.kind !== is.kind) return "replaced";
  if (was.digest !== is.digest) return was.kind === "link" ? "replaced" : "edited";
  if (was.mode !== is.mode) return "mode";
  if ((is.names ?? 1) > (was.names ?? 1)) return "linked";
  return was.stamp !== is.stamp ? "rewritten" : null;
}
