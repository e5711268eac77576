import type { EventData, Recorded } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

const checksOf = (state: RunState, step: string): string[] =>
  (state.steps[step]?.spec.checks ?? []).map(({ run }) => run);

/** A step with checks is done only after each of them has passed, in order, over the work of that very attempt. */
export function checkedBeforeDone({ quality }: Witness): Watcher {
  const runs = new Map<string, EventData<"EffectIntended">["effect"]>();
  const passes = new Map<string, string[]>();
  const passed = new Set<string>();
  const settle = ({ event }: Moment, say: Say): void => {
    const { type, data, run, seq } = event;
    if (type !== "EffectSettled" || data.outcome.kind !== "done") return;
    const effect = runs.get(data.key);
    const { evidence, moved } = data.outcome;
    if (effect?.kind !== "RunCheck" && effect?.kind !== "AskReview") return;
    // The work has changed since the first check: all of them are taken again.
    if (moved !== undefined && (evidence === undefined || evidence.verdict === "pass"))
      passes.delete(effect.attempt);
    if (effect.kind !== "RunCheck" || evidence === undefined) return;
    // Where the tree could not be looked at nothing was shown, and nothing follows from it.
    if (evidence.verdict !== "unknown" && !quality.hasShown(`${run}/${data.key}`, evidence.verdict))
      say(`${data.key} has not shown "${evidence.verdict}", which is written at ${String(seq)}`);
    if (evidence.verdict === "pass" && moved === undefined && effect.phase === undefined)
      passes.set(effect.attempt, [...(passes.get(effect.attempt) ?? []), evidence.command]);
  };
  return {
    see(moment, say) {
      const { type, data, seq } = moment.event;
      if (type === "EffectIntended") runs.set(data.key, data.effect);
      settle(moment, say);
      if (type === "EvidenceOutdated") passes.delete(data.attempt);
      if (type === "StepChecked" && data.verdict === "pass") {
        const wanted = checksOf(moment.state, data.step);
        if (wanted.join("\n") !== (passes.get(data.attempt) ?? []).join("\n"))
          say(`${data.attempt} passes at ${String(seq)} without the evidence for it`);
        passed.add(data.attempt);
      }
      if (
        type === "StepSucceeded" &&
        checksOf(moment.state, data.step).length > 0 &&
        !passed.has(data.attempt)
      )
        say(`${data.attempt} is done at ${String(seq)} and was not checked`);
    },
  };
}

/** Work that does not pass goes back to the agent with what was found, and not more often than the settings say. */
export function feedbackGiven(): Watcher {
  const fails = new Map<string, number>();
  const feedback = new Map<string, string>();
  const notes = new Map<string, string>();
  const checked = ({ step, verdict, feedback: found }: EventData<"StepChecked">): void => {
    if (verdict === "pass") feedback.delete(step);
    else {
      fails.set(step, (fails.get(step) ?? 0) + 1);
      feedback.set(step, found ?? "");
    }
  };
  const told = ({ step, task, attempt }: { step: string; task: string; attempt: string }, say: Say): void => {
    const found = feedback.get(step);
    if (found !== undefined && !task.includes(found)) say(`${attempt} is not told what its checks found`);
    if (found === undefined && task.includes("did not pass"))
      say(`${attempt} is told of checks that its work passed`);
    if (!task.includes(notes.get(step) ?? "")) say(`${attempt} is not told what a person said`);
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "StepChecked") checked(data);
      if (type === "StepReset" || type === "StepsReplanned") fails.delete(data.step);
      if (type === "StepAdvised") notes.set(data.step, data.note);
      if (type === "AttemptStarted" && (fails.get(data.step) ?? 0) >= state.settings.checks.tries)
        say(`${data.attempt} began at ${String(seq)} with no tries of its checks left`);
      if (type === "EffectIntended" && data.effect.kind === "StartAgent") told(data.effect, say);
    },
  };
}

/** Whether a check of the step was red before it began, and all passed when the attempt had ended badly (B4). */
export function isOutranked(
  events: readonly Recorded[],
  { step, attempt }: { readonly step: string; readonly attempt: string },
): boolean {
  const runs = new Map<string, "before" | "end">();
  const shown = { before: [] as string[], end: [] as string[] };
  for (const { type, data } of events) {
    if (type === "EffectIntended" && data.effect.kind === "RunCheck") {
      const { phase } = data.effect;
      const isOurs = phase === "before" ? data.effect.step === step : data.effect.attempt === attempt;
      if (isOurs && (phase === "before" || phase === "end")) runs.set(data.key, phase);
    }
    if (type !== "EffectSettled" || data.outcome.kind !== "done") continue;
    const phase = runs.get(data.key);
    if (phase !== undefined) shown[phase].push(data.outcome.evidence?.verdict ?? "unknown");
  }
  return shown.before.includes("fail") && shown.end.length > 0 && shown.end.every((one) => one === "pass");
}
