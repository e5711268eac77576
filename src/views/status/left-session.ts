import type { Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** A session that lives although its attempt has ended. */
export interface LeftSession {
  readonly run: string;
  readonly session: string;
  /** Null where the journal does not name it: a reviewer's, or one that was asked for its opinion. */
  readonly attempt: string | null;
  /** How and when the attempt ended. */
  readonly ended: { readonly outcome: string; readonly why: string; readonly at: number } | null;
  readonly conversation: string | null;
}

/**
 * Sessions that the run has now, or may be about to have: its attempts', and those of the one that was asked about one.
 */
export function wantedSessions(state: RunState): ReadonlySet<string> {
  const asked = Object.values(state.effects).flatMap((effect) =>
    "session" in effect ? [effect.session] : [],
  );
  return new Set([...Object.values(state.attempts).map(({ session }) => session), ...asked]);
}

/** What the journal shows of a session that should have ended. */
export function leftSession(run: string, session: string, events: readonly Recorded[]): LeftSession {
  let attempt: string | null = null;
  let conversation: string | null = null;
  let ended: LeftSession["ended"] = null;
  for (const { type, data, at } of events) {
    if (type === "AttemptStarted" && data.session === session) attempt = data.attempt;
    if (attempt === null) continue;
    if (type === "SignalsHeard" && data.attempt === attempt)
      for (const signal of data.signals) if (signal.kind === "conversation") conversation = signal.id;
    if (type === "AttemptEnded" && data.attempt === attempt)
      ended = { outcome: data.outcome, why: data.why, at };
  }
  return { run, session, attempt, ended, conversation };
}
