import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import { askedOf } from "../../model/flow/permission-rules.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { observeSeen } from "../health/health-observe.ts";
import { limitsOf } from "../health/restart-silence.ts";

type Answer = Extract<Effect, { kind: "AnswerPermission" }>;

/** So many answers are given to one session before it is left to its limits. */
const ANSWERS_MAX = 10_000;

export function intendAnswer(attempt: AttemptState, { askId }: Answer): void {
  attempt.answers += 1;
  Reflect.deleteProperty(attempt.permissions, askId);
}

/**
 * An answer that did not reach the agent is still owed, if it can be given at all. One that reached it, or never will,
 * is waited for by nobody: from then on the agent's silence is its own.
 */
export function settleAnswer(
  state: RunState,
  effect: Answer,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { askId } = effect;
  const attempt = state.attempts[effect.attempt];
  if (attempt === undefined) return;
  const isHopeless = outcome.kind === "failed" && outcome.terminal;
  if (outcome.kind !== "done" && !isHopeless && attempt.answers < ANSWERS_MAX)
    attempt.permissions[askId] = askedOf(effect);
  else
    observeSeen(
      attempt.health,
      { kind: "answered", id: askId, denied: !effect.allow },
      at,
      limitsOf(state, attempt),
    );
}

/**
 * What was asked is not asked any more, no matter who answered it: an answer of ours that is under way has nothing to
 * answer.
 */
export function dropAsk(state: RunState, attempt: AttemptState, askId: string): void {
  Reflect.deleteProperty(attempt.permissions, askId);
  for (const [key, effect] of Object.entries(state.effects))
    if (effect.kind === "AnswerPermission" && effect.attempt === attempt.id && effect.askId === askId)
      Reflect.deleteProperty(state.effects, key);
}
