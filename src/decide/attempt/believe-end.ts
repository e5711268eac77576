import { AGENTS, type AgentKind } from "../../model/agent/kinds/registry.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { CONVERSATION_MISSING } from "../../model/agent/signals.ts";
import { wasRed } from "../dispatch/baseline-rule.ts";
import { checkOrder } from "../dispatch/check-order.ts";
import { takesCheckpoints } from "../../fold/workspace/takes-checkpoints.ts";
import { lookAtFiles } from "./success-rule.ts";
import { writes } from "../../fold/step/step-authority.ts";

type Ended = EventData<"AttemptEnded">;

/** Something has to be found out first, or the end as it is believed. */
export type Believed = { readonly first: RunEvent[] } | { readonly ended: Ended };

interface Judged {
  readonly ended: Ended;
  readonly use: AgentKind;
  readonly now: number;
}

/**
 * Before an end that is no success is believed (B4): checks that were red before the step outrank the last word if they
 * are green now, and an agent that says nothing when it is done is believed where its files have changed.
 */
export function believeEnd(state: RunState, attempt: AttemptState, { ended, use, now }: Judged): Believed {
  const step = state.steps[attempt.step];
  const isAtWork = state.status === "running" && state.restoring === null;
  if (step === undefined || !isAtWork || ended.outcome === "succeeded") return { ended };
  if (mayHaveFinishedUnseen(attempt, use))
    return mayBeGreen(step, attempt, use) ? outranked(state, step, { attempt, ended, now }) : { ended };
  if (attempt.exit?.how !== "code" || attempt.ending !== null || ended.failure === undefined)
    return { ended };
  if (mayBeGreen(step, attempt, use)) return outranked(state, step, { attempt, ended, now });
  const isSilent = ended.failure.class === "contract_missed" && attempt.claim === null;
  if (isSilent && !AGENTS[use].claim.speaks) return changedInSilence(state, step, { attempt, ended, now });
  return { ended };
}

/**
 * A terminal program that is not seen at its prompt when it is done looks stuck. Before it is started again and does its
 * work a second time, its checks are asked.
 */
const mayHaveFinishedUnseen = ({ ending, heardAt }: AttemptState, use: AgentKind): boolean =>
  use === "tmux" && (ending === "stuck" || ending === "timed_out") && heardAt !== null;

/** Something was red before, and the agent has done something since. */
function mayBeGreen(step: StepState, { spent, lastError }: AttemptState, use: AgentKind): boolean {
  if (lastError?.code === CONVERSATION_MISSING) return false;
  const hasWorked = spent.turns > 0 || !AGENTS[use].claim.speaks;
  return hasWorked && step.spec.checks.some((check) => wasRed(step, check));
}

interface Ending {
  readonly attempt: AttemptState;
  readonly ended: Ended;
  readonly now: number;
}

function outranked(state: RunState, step: StepState, { attempt, ended, now }: Ending): Believed {
  const last = attempt.shown.at(-1);
  if (last !== undefined && last !== "pass") return { ended };
  const check = step.spec.checks[attempt.shown.length];
  if (check === undefined) {
    const why = `its checks failed before and pass now, which outranks its last word: ${ended.why}`;
    const result = attempt.claim?.value ?? null;
    return { ended: { attempt: attempt.id, outcome: "succeeded", charged: false, why, result } };
  }
  const isUnderWay = Object.values(state.effects).some(
    (effect) => effect.kind === "RunCheck" && effect.attempt === attempt.id,
  );
  if (isUnderWay) return { first: [] };
  const order = checkOrder(state, step, { check, attempt: attempt.id, now });
  const key = effectKey(`${attempt.id}/end`, "RunCheck", attempt.shows + 1);
  return { first: [{ type: "EffectIntended", data: { key, effect: { ...order, phase: "end" } } }] };
}

function changedInSilence(state: RunState, step: StepState, { attempt, ended, now }: Ending): Believed {
  const began = step.before.digest;
  if (!writes(step) || began === null || !takesCheckpoints(state)) return { ended };
  const tree = attempt.left?.tree ?? null;
  if (tree === null) return { first: lookAtFiles(state, step.spec.name, now) };
  if (tree === began) return { ended };
  const why = "it ended cleanly and has changed files; it says nothing itself";
  return { ended: { attempt: attempt.id, outcome: "succeeded", charged: false, why, result: null } };
}
