import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { NAMELESS } from "../../model/text/words.ts";

/** Notes of alarms that a step keeps for its next attempt; the run's bound on pending alarms is met first. */
const RUNG_MAX = 100;

/** The part of the fold that concerns alarms, and the notes that agents leave for the one that comes after them. */
export const evolveAlarm = {
  AlarmSet(state: RunState, { alarm }: EventData<"AlarmSet">): void {
    state.alarms[alarm.id] = alarm;
    state.alarmsSet += 1;
  },
  AlarmRang(state: RunState, { id, how, step, text }: EventData<"AlarmRang">): void {
    Reflect.deleteProperty(state.alarms, id);
    if (how === "kept" && step !== undefined) keepRung(state, step, text);
  },
  AlarmDropped(state: RunState, { id }: EventData<"AlarmDropped">): void {
    const alarm = state.alarms[id];
    if (alarm === undefined) return;
    Reflect.deleteProperty(state.alarms, id);
    // A step that slept until then has nothing to wait for any more.
    const step = alarm.step === undefined ? undefined : state.steps[alarm.step];
    if (step !== undefined && step.notBefore === alarm.dueAt) step.notBefore = null;
  },
  CheckpointNoted(
    state: RunState,
    { attempt, step: name, note }: EventData<"CheckpointNoted">,
    { at }: { readonly at: number },
  ): void {
    const step = state.steps[name];
    if (step !== undefined) step.checkpoint = { ...note, attempt, at };
  },
};

function keepRung(state: RunState, name: string, text: string): void {
  const step = state.steps[name];
  if (step !== undefined) step.rung = [...step.rung, text].slice(-RUNG_MAX);
}

/** Words that are not known to have reached an agent are for its step's next attempt. */
export function keepWords(
  state: RunState,
  { step, text, alarm, remedy, by = NAMELESS }: Extract<Effect, { kind: "TellAgent" }>,
): void {
  // A remedy is for the moment; the next attempt is informed about it by the one that ends this.
  if (remedy === true) return;
  if (alarm === undefined) state.untold.push({ step, text, by });
  else keepRung(state, step, text);
}
