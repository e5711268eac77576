import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { readLimit } from "../../model/text/limit-text.ts";
import { resetTime } from "../../model/text/reset-time.ts";

/** The part of the fold that says when the last remedy took effect, and what else was done since. */
export function noteSession(step: StepState, at: number): void {
  const { ladder } = step;
  if (ladder === null || ladder.outcome !== null) return;
  // The session after a helper's is the other half of that remedy.
  if (ladder.taken.remedy === "helper" && ladder.effectAt !== null) return;
  step.ladder =
    ladder.bySession && ladder.effectAt === null
      ? { ...ladder, effectAt: at }
      : { ...ladder, meanwhile: "the agent was started again for another reason" };
}

export function noteWords(
  state: RunState,
  { step: name, remedy }: { readonly step: string; readonly remedy?: boolean | undefined },
  { arrived, at }: { readonly arrived: boolean; readonly at: number },
): void {
  const step = state.steps[name];
  const ladder = step?.ladder ?? null;
  if (step === undefined || ladder === null || ladder.outcome !== null) return;
  if (remedy === true && !arrived) step.ladder = { ...ladder, meanwhile: "its message did not arrive" };
  else if (remedy === true) step.ladder = { ...ladder, effectAt: ladder.effectAt ?? at };
  else if (arrived) step.ladder = { ...ladder, meanwhile: "another message was sent to the agent" };
}

/** A farewell or a trace may follow it before the program ends; after more than that it has gone on. */
const TEXTS_AFTER_MAX = 5;
/** A longer text is work, and speaks of limits as it likes. */
const STATEMENT_CHARS_MAX = 1_500;

/** Keeps a limit that was stated until the agent works again: what ends with an error after it has met that limit. */
export function noteLimitSaid({ health, lastSignalAt, startedAt }: AttemptState, text: string): void {
  const read = text.length > STATEMENT_CHARS_MAX ? null : readLimit(text);
  const said = health.limitSaid;
  if (read !== null)
    health.limitSaid = { line: read.line, until: endIn(text, lastSignalAt ?? startedAt), after: 0 };
  else if (said !== null)
    health.limitSaid = said.after < TEXTS_AFTER_MAX ? { ...said, after: said.after + 1 } : null;
}

/** A clock time counts only where its zone is named: then it is the same wherever it is read. */
function endIn(text: string, at: number): number | null {
  const { retryAfterMs, resetsAt } = resetTime(text, at, "UTC");
  if (retryAfterMs !== undefined) return at + retryAfterMs;
  return resetsAt !== undefined && resetTime(text, at, "Asia/Tokyo").resetsAt === resetsAt ? resetsAt : null;
}
