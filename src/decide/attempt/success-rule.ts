import { checkOrder, isPersons, wasRed } from "../dispatch/baseline-rule.ts";
import { areFilesInHand, takeCheckpoint } from "../workspace/decide-checkpoints.ts";
import { shownBefore } from "../../fold/step/baseline.ts";
import { takesCheckpoints, treeOfStep, writes } from "../../fold/workspace/workspace-place.ts";
import { type AgentKind, AGENTS } from "../../model/agent/kinds/registry.ts";
import { CONVERSATION_MISSING } from "../../model/agent/signals.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Basis } from "../../model/state/baseline.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";

/**
 * What passed checks are worth (B4). One that was red before the step and is green now shows work, no matter what its
 * agent said last. One that was green before counts only with a change of the files, or where the agent says explicitly
 * that there was nothing to do. What is not known does not count as a change; then the agent's claim carries it, and
 * the reality check says so.
 */
export function basisOf(state: RunState, step: StepState): Basis | null {
  const { checking, spec } = step;
  if (checking === null || !isHeld(state, step)) return "checks";
  if (spec.checks.some((check) => wasRed(step, check))) return "red_to_green";
  const changed = hasChanged(step);
  if (changed === true) return "changed";
  if (!wereGreen(step)) return checking.word === "silent" ? null : "checks";
  if (checking.word === "nothing_to_do") return "nothing_to_do";
  // Declared outputs are looked at by themselves, also where no snapshot holds them.
  const mayHave = changed === null || (spec.outputs ?? []).length > 0;
  return checking.word === "claimed" && mayHave ? "claim" : null;
}

/** Only work that is written into a tree can show there, and a person's need not. */
const isHeld = (state: RunState, step: StepState): boolean => writes(step) && !isPersons(state, step);

const wereGreen = (step: StepState): boolean =>
  step.spec.checks.every((check) => shownBefore(step, check)?.verdict === "pass");

/** Whether the files differ from those that the step began with; null where that is not known. */
const hasChanged = ({ before, checking }: StepState): boolean | null =>
  before.digest === null || checking === null || checking.tree === null
    ? null
    : before.digest !== checking.tree;

/** Null where nothing has to be looked at before the checks are run, which may change files themselves. */
export function lookFirst(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { checking, spec } = step;
  if (checking === null || checking.tree !== null || checking.runs > 0 || spec.checks.length === 0)
    return null;
  if (!isHeld(state, step) || step.before.digest === null || !takesCheckpoints(state)) return null;
  if (spec.checks.some((check) => wasRed(step, check))) return null;
  if (!wereGreen(step) && checking.word !== "silent") return null;
  return lookAtFiles(state, spec.name, now);
}

/** A checkpoint shows what the files are; where none can be kept somebody is asked about that. */
const lookAtFiles = (state: RunState, step: string, now: number): RunEvent[] =>
  areFilesInHand(state) || state.taken !== null || state.restoring !== null || state.keepFailures > 2
    ? []
    : takeCheckpoint(state, "after_step", now, { tree: treeOfStep(state, step) });

/** Why checks that have passed are not enough; what the agent receives. */
export function whyUnproved(state: RunState, step: StepState): string | null {
  if (step.spec.checks.length === 0 || basisOf(state, step) !== null) return null;
  const green = wereGreen(step) ? "the checks passed before you began as well" : "the checks pass";
  const files =
    hasChanged(step) === false ? "no file was changed" : "whether files were changed is not known";
  const word = step.checking?.word === "silent" ? ", and you said nothing of what was done" : "";
  return `${green}, ${files}${word}: nothing shows that the task was done. Do it; if there is nothing to do, end with the words "Nothing to do" and the reason.`;
}

type Ended = EventData<"AttemptEnded">;

/** Something has to be found out first, or the end as it is believed. */
type Believed = { readonly first: RunEvent[] } | { readonly ended: Ended };

interface EndFacts {
  readonly ended: Ended;
  readonly use: AgentKind;
  readonly now: number;
}

/**
 * Before an end that is no success is believed (B4): checks that were red before the step outrank the last word if they
 * are green now, and an agent that says nothing when it is done is believed where its files have changed.
 */
export function believeEnd(state: RunState, attempt: AttemptState, { ended, use, now }: EndFacts): Believed {
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
const mayHaveFinishedUnseen = ({ ending, lastSignalAt }: AttemptState, use: AgentKind): boolean =>
  use === "tmux" && (ending === "stuck" || ending === "timed_out") && lastSignalAt !== null;

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
