import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { Pattern } from "../../model/agent/health.ts";
import type { Remedy } from "../../model/agent/ladder.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import { diagnosisOf } from "../health/diagnose.ts";
import { handOverEvents } from "../requests/hand-over.ts";
import { classOfError } from "../../fold/attempt/class-of-error.ts";
import { isProviders } from "../attempt/retry-class.ts";
import { wordsBy } from "../attempt/words-by.ts";
import { stepTreeOf, treeOfStep } from "../../fold/workspace/workspace-place.ts";
import { helperTask, nudgeText, restartNote, strategyText, whyUnfit, type NextRemedy } from "./ladder.ts";

/** A conversation that is too full, or that led to files which are no more, is not gone on with. */
export const beginsAfresh = (remedy: Remedy, pattern: Pattern): boolean =>
  remedy === "restore" || (remedy === "restart" && pattern === "resource_exhaustion");

/** Remedies that have the same agent try again. */
const AGAIN: ReadonlySet<Remedy> = new Set(["nudge", "strategy", "restart", "restore"]);

/** Bad credentials, no credit, no right to: some agents go on asking for minutes. */
const isRefused = ({ lastError }: AttemptState): boolean =>
  classOfError(lastError) === "terminal" && isProviders(lastError);

/** Why a remedy cannot be tried with this agent and this trouble; null where it can. */
export function whyNot(
  state: RunState,
  attempt: AttemptState,
  { remedy }: NextRemedy,
  pattern: Pattern,
): string | null {
  if (AGAIN.has(remedy) && pattern === "error_loop" && isRefused(attempt))
    return `its provider refuses it, which does not get better by trying again: ${attempt.lastError?.text ?? ""}`;
  const unfit = whyUnfit(remedy, diagnosisOf(attempt, pattern));
  if (unfit !== null) return unfit;
  switch (remedy) {
    case "warn":
    case "restart":
    case "operator":
    case "external":
      return null;
    case "nudge":
    case "strategy":
      return whyNoWords(state, attempt, remedy, pattern);
    case "restore":
      return whyNotRestore(state, attempt);
    case "helper":
      return helperOf(state, attempt, pattern) === null ? "no helper is named (ladder.helper)" : null;
    case "other_agent":
      return nextAgent(state, attempt) === null ? "no other agent is named for the step (nextAgent)" : null;
  }
}

/** Where a message costs the turn, it is sent only for what it can change, and not again and again. */
function whyNoWords(state: RunState, attempt: AttemptState, remedy: Remedy, pattern: Pattern): string | null {
  const by = wordsBy(state, attempt);
  if (by === "live") return null;
  if (by === null)
    return "this agent does not accept messages while it works, nor continues a turn that was broken off with one";
  // Counted over all troubles of the step: a new session looks better at first, and would be interrupted for ever.
  const used = state.steps[attempt.step]?.remedies[remedy] ?? 0;
  const max = remedy === "nudge" ? state.settings.ladder.interrupts : 1;
  if (used >= max)
    return `the turn of this step's agent was ended for a message ${String(used)} times (ladder.interrupts)`;
  if (diagnosisOf(attempt, pattern).cause === "provider")
    return "a message would end its session, which is what a restart does";
  return pattern === "resource_exhaustion"
    ? "this agent cannot condense the conversation it continues; a restart begins a new one"
    : null;
}

/** What follows from a remedy; written together with it. */
export function effectsOf(
  state: RunState,
  attempt: AttemptState,
  { remedy, tryNumber }: NextRemedy,
  pattern: Pattern,
): RunEvent[] {
  const { evidence } = attempt.assessed;
  switch (remedy) {
    case "nudge":
      return sendWords(state, attempt, nudgeText(pattern, tryNumber, evidence));
    case "strategy":
      return sendWords(state, attempt, strategyText(pattern, state.agents[attempt.agent]?.compact));
    case "restart":
      return [advice(attempt, pattern), ending(attempt, pattern, "is started again")];
    case "restore":
      return [
        advice(attempt, pattern),
        ending(attempt, pattern, "goes back to a checkpoint"),
        ...restoreEvents(state, attempt),
      ];
    case "helper":
      return [ending(attempt, pattern, "a helper is given the part that fails")];
    case "other_agent":
      return [...handOver(state, attempt, pattern), ending(attempt, pattern, "is handed over")];
    case "operator":
      return [advice(attempt, pattern), stuckBlock(attempt, pattern)];
    case "warn":
    case "external":
      return [];
  }
}

const advice = ({ step, assessed }: AttemptState, pattern: Pattern): RunEvent => ({
  type: "StepAdvised",
  data: { step, note: restartNote(pattern, assessed.evidence), by: "holdfast" },
});

const ending = ({ id }: AttemptState, pattern: Pattern, then: string): RunEvent => ({
  type: "AttemptEnding",
  data: { attempt: id, to: "stuck", why: `it is stuck (${pattern}) and ${then}` },
});

function sendWords(state: RunState, attempt: AttemptState, text: string): RunEvent[] {
  if (wordsBy(state, attempt) === "resume") {
    const why = "it is stuck and accepts no messages at work: its conversation continues with one";
    const message = `${text} Then go on with your task until it is done.`;
    return [{ type: "AttemptEnding", data: { attempt: attempt.id, to: "message", why, message } }];
  }
  const spec = state.agents[attempt.agent];
  if (spec === undefined) return [];
  const key = effectKey(attempt.id, "TellAgent", attempt.messages + 1);
  const { id, session, step } = attempt;
  const effect = { kind: "TellAgent", attempt: id, session, spec, step, text, remedy: true } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

const stuckBlock = ({ step, id, assessed }: AttemptState, pattern: Pattern): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "stuck",
      detail: `${id} is stuck (${pattern}) and no remedy helped: ${assessed.evidence.join("; ")}`,
      step,
      attemptKept: true,
      guidance: [],
    },
  },
});

/** Who helps with the part that fails, and what it receives; null where nobody is named. */
export function helperOf(
  state: RunState,
  { step, assessed }: AttemptState,
  pattern: Pattern,
): { readonly agent: string; readonly task: string } | null {
  const agent = state.settings.ladder.helper;
  const of = state.steps[step];
  if (agent === undefined || of === undefined || state.agents[agent] === undefined) return null;
  return { agent, task: helperTask(pattern, assessed.evidence, of.spec.task, of.feedback) };
}

/** The step's own word comes first; the one that is stuck is nobody to hand it to. */
function nextAgent(
  state: RunState,
  { step, agent }: AttemptState,
): { readonly to: string; readonly spec: AgentSpec } | null {
  const to = state.steps[step]?.spec.nextAgent ?? state.settings.ladder.nextAgent;
  const spec = to === undefined ? undefined : state.agents[to];
  return to === undefined || spec === undefined || to === agent ? null : { to, spec };
}

function handOver(state: RunState, attempt: AttemptState, pattern: Pattern): RunEvent[] {
  const step = state.steps[attempt.step];
  const next = nextAgent(state, attempt);
  if (step === undefined || next === null) return [];
  return handOverEvents(state, step, { ...next, reason: `stuck (${pattern})`, by: "holdfast", files: [] });
}

/** Files go back to before the trouble, and never to before something that is done: finished work is not undone. */
function checkpointBefore(state: RunState, { step }: AttemptState): CheckpointState | null {
  const openedAt = state.steps[step]?.ladder?.openedAt ?? 0;
  const isApart = stepTreeOf(state, step) !== null;
  const doneSeq = isApart ? 0 : Math.max(0, ...Object.values(state.steps).map((one) => one.doneSeq ?? 0));
  const fit = Object.values(state.checkpoints).filter(
    ({ at, seq, tree, cause }) =>
      at < openedAt && seq > doneSeq && tree === treeOfStep(state, step) && cause !== "before_restore",
  );
  return fit.at(-1) ?? null;
}

function whyNotRestore(state: RunState, attempt: AttemptState): string | null {
  const isApart = stepTreeOf(state, attempt.step) !== null;
  const others = Object.keys(state.attempts).filter((id) => id !== attempt.id && !isApart);
  if (others.length > 0) return `others are at work on the same files: ${others.join(", ")}`;
  return checkpointBefore(state, attempt) === null
    ? "there is no checkpoint of before the trouble that keeps everything that is done"
    : null;
}

function restoreEvents(state: RunState, attempt: AttemptState): RunEvent[] {
  const checkpoint = checkpointBefore(state, attempt);
  if (checkpoint === null) return [];
  return [{ type: "RestoreWanted", data: { checkpoint: checkpoint.id, by: "holdfast", step: attempt.step } }];
}
