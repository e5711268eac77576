import type { Principal } from "../../model/requests/principal.ts";
import { isProved } from "../../model/requests/proved.ts";
import type { RequestKind, RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";

/**
 * What agents may ask for. `any`: of every run. `own`: of the run that it works for, and of runs that it started.
 * `started`: only of runs that it started. `never`: what opens, accepts, raises or settles is for people and programs.
 */
export const AGENTS_MAY: Readonly<Record<RequestKind, "any" | "own" | "started" | "never">> = {
  escalate: "any",
  report: "own",
  checkpoint_note: "own",
  alarm: "own",
  cancel_alarm: "own",
  checkpoint: "own",
  pause: "own",
  cancel: "own",
  tell: "own",
  signal: "own",
  resume: "started",
  retry: "started",
  reopen: "started",
  handoff: "started",
  restore: "started",
  reissue: "started",
  approve: "never",
  reject: "never",
  unblock: "never",
  budget: "never",
  terminal: "never",
  set: "never",
  trust: "never",
  settle: "never",
  accept: "never",
  commit: "never",
  reconcile: "never",
  apply_proposal: "never",
  reject_proposal: "never",
};

/** Why this principal may not ask that of this run; null where it may. */
export function notFor(
  { run, family }: Pick<RunState, "run" | "family">,
  request: RunRequest,
  who: Principal,
): string | null {
  if (who.kind !== "agent") return null;
  const refused = `${request.kind} is refused: ${who.name} is an agent`;
  const isOwn = who.run === undefined || who.run === run;
  const isStarted = !isOwn && family !== undefined && (family === who.run || family === who.family);
  switch (AGENTS_MAY[request.kind]) {
    case "any":
      return null;
    case "own":
      return isOwn || isStarted
        ? otherAttempt(request, who, isOwn)
        : `${refused} of ${who.run ?? "another run"}, and may ask this only of its own run and of runs that it started`;
    case "started":
      return isStarted ? null : `${refused}, and may ask this only of runs that it started`;
    case "never":
      return `${refused}; only people and their programs may, from outside of an agent's session`;
  }
}

/** What an attempt says of itself counts for itself alone. */
function otherAttempt(request: RunRequest, who: Principal, isOwn: boolean): string | null {
  const named = "attempt" in request ? request.attempt : undefined;
  if (named === undefined || who.attempt === undefined || (isOwn && named === who.attempt)) return null;
  return `${request.kind} is refused: ${who.name} may not speak for ${named}`;
}

/** What has to be shown at a gate by somebody of that name; null where a name is enough. */
export function proofMissing(
  { approverKeys }: Pick<RunState, "approverKeys">,
  { isCredentialed, name }: { readonly isCredentialed: boolean; readonly name: string },
  who: Principal,
): "any" | "own" | null {
  if (approverKeys === undefined || isProved(who)) return null;
  if (isCredentialed) return "any";
  return approverKeys.some((key) => key.name === name && key.proof === "passphrase") ? "own" : null;
}
