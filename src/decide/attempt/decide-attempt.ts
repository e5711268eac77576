import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Failure } from "../../model/agent/failure.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import type { AgentKind } from "../../model/agent/kinds/registry.ts";
import { classOfExit, endedTogether, failureOf, RETRY_CLASSES, withLastWord } from "./retry-class.ts";
import { saysNothingToDo, type LastWord } from "../../model/text/last-word.ts";
import { isChecked } from "../../fold/gate/evolve-guard.ts";
import { jittered } from "../dispatch/jitter.ts";
import { limitBefore } from "../health/limit-said.ts";
import { classOfClaim, failureOfWord, lastWordOf } from "../health/last-word-of.ts";
import { askInstead, isWaitedFor, limitWait } from "../budget/limits.ts";
import { failOrExpert } from "../ladder/try-expert.ts";
import { classOfError } from "../../fold/attempt/class-of-error.ts";

/** After a driver has said that nothing of a session is left, its last words may take this long to be read. */
export const LAST_WORDS_MS = 5_000;

export const TIMED_OUT = "the attempt reached its time limit";
export const NO_FIRST_OUTPUT = "the agent gave no first output in time";

type Ended = EventData<"AttemptEnded">;

/** What decides how an attempt is read: its agent, and whether its work will be checked by Holdfast. */
export interface EndedOf {
  readonly use: AgentKind;
  readonly checked: boolean;
}

/** Says how an attempt ended, or null while it lives. */
export function decideEnd(attempt: AttemptState, now: number, of: EndedOf): Ended | null {
  if (attempt.startFailure !== null) return decideFailedStart(attempt, attempt.startFailure);
  if (attempt.exit !== null) {
    const seen = withLastWord(attempt);
    const word = lastWordOf(seen, of.use);
    return (
      (word === null ? succeededFirst(seen, of.checked) : null) ??
      stoppedByUs(seen) ??
      endedTogether(seen) ??
      endedByItself(seen, word)
    );
  }
  if (attempt.finding === "gone")
    return attempt.adoptedAt === null ? lost(attempt) : diedWithSupervisor(attempt);
  if (attempt.endedAt !== null && now >= attempt.endedAt + LAST_WORDS_MS) return stoppedByUs(attempt);
  return null;
}

/** A start that failed may have started something all the same: it is over when nothing of it can be left. */
const decideFailedStart = (
  attempt: AttemptState,
  start: { text: string; terminal: boolean },
): Ended | null => {
  if (!start.terminal && attempt.endedAt === null) return null;
  // One that was to end before it began has failed at nothing.
  return stoppedByUs(attempt) ?? neverStarted(attempt.id, start);
};

/** A start that cannot succeed is not the step's fault: it costs no attempt, and the run asks for a person. */
const neverStarted = (attempt: string, start: { text: string; terminal: boolean }): Ended => ({
  attempt,
  outcome: "failed",
  charged: !start.terminal,
  why: `the agent could not be started: ${start.text}`,
  failure: failureOf(start.terminal ? "terminal" : "transient", start.text),
});

/**
 * Success needs the agent's own word and a clean exit; either alone is not evidence (A5, I6). Where checks follow,
 * they are the evidence, and the agent's word is not needed. Finished work counts even if we were stopping it. A last
 * word that is an error, a limit or a refusal never comes here (B4).
 */
function succeededFirst({ id, claim, exit, ending, raised }: AttemptState, checked: boolean): Ended | null {
  if (exit?.how !== "code" || exit.code !== 0) return null;
  // What waits to be asked of people, or what a person has sent back, does not count.
  if (raised !== null || ending === "sent_back") return null;
  const well = { attempt: id, outcome: "succeeded", charged: false } as const;
  if (claim?.ok === true) {
    const word = checked && saysNothingToDo(claim.text) ? ({ word: "nothing_to_do" } as const) : {};
    return { ...well, why: claim.text, result: claim.value ?? null, ...word };
  }
  if (!checked || claim !== null || ending !== null) return null;
  return { ...well, why: "ended cleanly; its checks decide", word: "silent" };
}

function stoppedByUs(attempt: AttemptState): Ended | null {
  const { id, ending } = attempt;
  switch (ending) {
    case null:
    case "start_failed":
      return null;
    case "paused":
      return { attempt: id, outcome: "interrupted", charged: false, why: "the run was paused" };
    case "cancelled":
      return { attempt: id, outcome: "cancelled", charged: false, why: "the run was cancelled" };
    case "sent_back":
      return { attempt: id, outcome: "interrupted", charged: false, why: "its work was sent back" };
    case "policy":
      return { attempt: id, outcome: "interrupted", charged: false, why: "a policy forbids it to go on" };
    case "run_limit":
      return { attempt: id, outcome: "interrupted", charged: false, why: "a time limit was reached" };
    case "limited":
      return { attempt: id, outcome: "interrupted", charged: false, why: "it met limits again and again" };
    case "suspended":
      return {
        attempt: id,
        outcome: "interrupted",
        charged: false,
        why: "its session was suspended while people are asked",
      };
    case "stuck":
      return { attempt: id, outcome: "stalled", charged: false, why: "it was stuck and is started again" };
    case "message":
      return {
        attempt: id,
        outcome: "interrupted",
        charged: false,
        why: "its turn was ended to send it a message",
      };
    case "timed_out":
      return failed(attempt, "timed_out", failureOf("transient", TIMED_OUT));
    case "stalled":
      return failed(attempt, "stalled", failureOf("transient", NO_FIRST_OUTPUT));
  }
}

const failed = (attempt: AttemptState, outcome: Ended["outcome"], failure: Failure): Ended => ({
  attempt: attempt.id,
  outcome,
  charged: true,
  why: failure.text,
  failure,
});

function endedByItself(attempt: AttemptState, word: LastWord | null): Ended {
  const { exit, claim, lastError } = attempt;
  const kind = classOfExit(attempt);
  if (exit?.how === "vanished")
    return failed(attempt, "zombie", failureOf(kind, "the agent's process is gone and left no exit status"));
  if (exit?.how === "signal")
    return failed(
      attempt,
      "crashed",
      failureOf(kind, `the agent was killed by ${exit.signal ?? "a signal"}`),
    );
  if (exit?.code !== 0)
    return failed(attempt, "crashed", failureOf(kind, lastError?.text ?? exitText(attempt)));
  if (claim?.ok === false) {
    const known = classOfError(lastError) ?? classOfClaim(claim.text);
    // A limit that was received right before says more than a failure in words that nobody knows.
    const reason = known ?? (limitBefore(attempt) === null ? "agent_failed" : "rate_limited");
    return failed(attempt, "failed", failureOf(reason, claim.text));
  }
  if (word !== null) return failed(attempt, "failed", failureOfWord(word));
  return failed(
    attempt,
    "failed",
    failureOf("contract_missed", "the agent ended with exit code 0 but gave no evidence of success"),
  );
}

function exitText(attempt: AttemptState): string {
  const ended = `the agent ended with exit code ${String(attempt.exit?.code)}`;
  const limit = limitBefore(attempt);
  return limit === null ? ended : `${ended} after a limit: ${limit.text}`;
}

/** Nobody took the run over, so no supervisor died: the session is simply not there. Charged, or it would go on for ever. */
const lost = (attempt: AttemptState): Ended =>
  failed(attempt, "zombie", failureOf("transient", "the session is gone although its supervisor is not"));

/** The supervisor's own death is never charged to the step (J4). */
const diedWithSupervisor = ({ id }: AttemptState): Ended => ({
  attempt: id,
  outcome: "interrupted",
  charged: false,
  why: "the session ended together with its supervisor",
});

/** What follows for the step when one of its attempts has ended. */
export function afterEnd(state: RunState, attempt: AttemptState, ended: Ended, now: number): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  // With checks, outputs or protected files to look at, the step is done only when they have passed.
  if (ended.outcome === "succeeded" && isChecked(state, step)) return [];
  if (ended.outcome === "succeeded")
    return [
      {
        type: "StepSucceeded",
        data: { step: attempt.step, attempt: attempt.id, result: ended.result ?? null },
      },
    ];
  const isWait = isWaitedFor(attempt, ended);
  const wait = isWait ? limitWait(state, step, attempt, { failure: ended.failure, now }) : null;
  if (ended.failure === undefined) return wait === null ? [] : [scheduled(attempt, wait.until, wait.text)];
  const charged = step.charged + (ended.charged ? 1 : 0);
  const cap = step.spec.attemptsMax ?? state.settings.attempts.perStep;
  const { retried, stopsWhenRepeated } = RETRY_CLASSES[ended.failure.class];
  const same = step.lastFailure?.fingerprint === ended.failure.fingerprint ? step.sameFailures + 1 : 1;
  const repeated = stopsWhenRepeated && same >= state.settings.attempts.sameFailure;
  const tooOften = isWait && step.limitWaits >= state.settings.cooldown.waits;
  if (!retried || repeated || charged >= cap || tooOften)
    return failOrExpert(state, step, { attempt: attempt.id, failure: ended.failure, now });
  const limit = ended.failure.class === "rate_limited" ? wait : null;
  const backoffUntil = now + backoffMs(state, attempt.session, charged);
  const notBefore = Math.max(limit?.until ?? 0, backoffUntil);
  const text = isWait ? (limit?.text ?? ended.failure.text) : undefined;
  return [
    scheduled(attempt, notBefore, text, notBefore > backoffUntil ? "limit" : "backoff"),
    ...(limit === null ? [] : askInstead(state, attempt, limit, false)),
  ];
}

/** A wait is named by the provider only where its limit, and not our backoff, says when it is over. */
const scheduled = (
  { step, health }: AttemptState,
  notBefore: number,
  limit?: string,
  decides: "limit" | "backoff" = "limit",
): RunEvent => {
  const isNamed = decides === "limit" && (health.limit ?? health.lastLimit)?.named === true;
  const named = isNamed ? { named: true } : {};
  return {
    type: "StepRetryScheduled",
    data: { step, notBefore, ...(limit === undefined ? {} : { limit, ...named }) },
  };
};

/** Full jitter, drawn from the session's name: the same facts give the same wait, different runs different ones. */
export function backoffMs(state: RunState, seed: string, failures: number): number {
  const { baseMs, factor, capMs } = state.settings.backoff;
  const ceiling = Math.min(capMs, baseMs * factor ** Math.max(0, failures - 1));
  return jittered(ceiling, seed);
}
