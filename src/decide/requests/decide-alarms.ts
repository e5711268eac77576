import { isOver } from "../../model/state/step-over.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { alarmId, type Alarm } from "../../model/requests/alarm.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

type Asked<Kind extends RunRequest["kind"]> = Extract<RunRequest, { kind: Kind }>;

/**
 * Rings what is due, one at a time (L9). Level, not edge: an alarm is pending until the event says that it rang, so
 * the one that looks next rings it if nobody has, and nobody rings it twice.
 */
export function decideAlarms(state: RunState, now: number): RunEvent[] {
  const dropped = dropAlarms(state);
  if (dropped.length > 0) return dropped;
  const due = nextToRing(state);
  return due === undefined || now < due.dueAt ? [] : ring(state, due);
}

/** A run that has ended reminds nobody. */
export const dropAlarms = (state: RunState): RunEvent[] =>
  isEnded(state.status)
    ? Object.keys(state.alarms).map((id) => ({
        type: "AlarmDropped",
        data: { id, by: "holdfast", why: `the run is ${state.status}` },
      }))
    : [];

/**
 * Of those that somebody would receive. What is due while an agent works that cannot receive it rings when that one
 * ends.
 */
const nextToRing = (state: RunState): Alarm | undefined =>
  state.status === "pausing"
    ? undefined
    : Object.values(state.alarms)
        .filter((alarm) => !waitsForEnd(state, alarm))
        .reduce<Alarm | undefined>(
          (first, alarm) => (first === undefined || alarm.dueAt < first.dueAt ? alarm : first),
          undefined,
        );

/** When time alone rings the next alarm; Infinity for never. */
export const alarmDueAt = (state: RunState): number => nextToRing(state)?.dueAt ?? Infinity;

/** Whether somebody is at work on its step whom no word can reach. */
export function waitsForEnd(state: RunState, alarm: Alarm): boolean {
  const step = stepFor(state, alarm);
  return step !== undefined && state.steps[step]?.live !== null && canReceive(state, step) === undefined;
}

function ring(state: RunState, alarm: Alarm): RunEvent[] {
  const step = stepFor(state, alarm);
  const attempt = step === undefined ? undefined : canReceive(state, step);
  const whose = alarm.attempt === undefined ? `An alarm that ${alarm.by} set` : "The alarm that you set";
  const text = `${whose} for ${isoTime(alarm.dueAt)} rings: ${alarm.note}`;
  const how = attempt !== undefined ? "told" : step === undefined ? "unheard" : "kept";
  const rang: RunEvent = {
    type: "AlarmRang",
    data: { id: alarm.id, how, text, ...(step === undefined ? {} : { step }) },
  };
  const wakes = alarm.wakes && state.status === "paused";
  return [
    rang,
    ...(attempt === undefined ? [] : [alarmMessage(state, attempt, { text, alarm: alarm.id })]),
    ...(wakes ? [{ type: "RunResumed", data: {} } as const] : []),
  ];
}

/** The step that was meant, else the one at work, else one that is still to be done. */
function stepFor(state: RunState, { step }: Alarm): string | undefined {
  const meant = state.steps[step ?? ""];
  if (meant !== undefined && !isOver(meant)) return meant.spec.name;
  const open = Object.values(state.steps).filter(({ status }) => !isOver({ status }));
  const next = open.find(({ live }) => live !== null) ?? open.find(({ needsLeft }) => needsLeft === 0);
  return (next ?? open[0])?.spec.name;
}

/** The attempt of a step that receives words while it works. */
function canReceive(state: RunState, step: string): AttemptState | undefined {
  const attempt = state.attempts[state.steps[step]?.live ?? ""];
  const spec = attempt === undefined ? undefined : state.agents[attempt.agent];
  const atWork = attempt?.started === true && attempt.ending === null && attempt.exit === null;
  return atWork && spec !== undefined && AGENTS[spec.use].capabilities.steer === "live" ? attempt : undefined;
}

/** Puts words for an agent at work on their way. */
export function alarmMessage(
  state: RunState,
  attempt: AttemptState,
  words: { readonly text: string; readonly alarm?: string; readonly by?: string },
): RunEvent {
  const spec = state.agents[attempt.agent];
  const key = effectKey(attempt.id, "TellAgent", attempt.messages + 1);
  const { id, session, step } = attempt;
  const effect = { kind: "TellAgent", attempt: id, session, step, ...words } as const;
  return { type: "EffectIntended", data: { key, effect: { ...effect, spec: spec ?? { use: "manual" } } } };
}

/** What an agent has set for its own step and has not rung: it does not count as done before. */
export const ownAlarm = (state: RunState, step: string): Alarm | undefined =>
  Object.values(state.alarms)
    .filter((alarm) => alarm.attempt !== undefined && alarm.step === step)
    .sort((one, other) => one.dueAt - other.dueAt)[0];

/**
 * An agent that ends its turn with an alarm pending sleeps: it is started again, with its conversation where it has
 * one, when the alarm rings. Its end is charged to nobody.
 */
export function sleepInstead(
  state: RunState,
  { id, step }: AttemptState,
  ended: EventData<"AttemptEnded">,
): RunEvent[] | null {
  const alarm = ended.outcome === "succeeded" ? ownAlarm(state, step) : undefined;
  if (alarm === undefined) return null;
  const why = `it ended its turn and sleeps until its alarm ${alarm.id} rings`;
  return [
    { type: "AttemptEnded", data: { attempt: id, outcome: "interrupted", charged: false, why } },
    { type: "StepRetryScheduled", data: { step, notBefore: alarm.dueAt } },
  ];
}

export function setAlarm(state: RunState, request: Asked<"alarm">, by: string): Verdict {
  const { dueAt, note, attempt: id, afterMs } = request;
  const step = id === undefined ? request.step : state.attempts[id]?.step;
  const wrong = alarmProblem(state, request);
  if (wrong !== null) return refusedFor(`the alarm is refused: ${wrong}`);
  const alarm: Alarm = {
    ...{
      id: alarmId(state.run, state.alarmsSet + 1),
      dueAt,
      note,
      by,
      ...(afterMs !== undefined && { afterMs }),
    },
    ...(step === undefined ? {} : { step }),
    ...(id === undefined ? {} : { attempt: id }),
    wakes: id === undefined && state.status === "paused",
  };
  const then = alarm.wakes ? "; the paused run goes on then" : "";
  return answered(`${alarm.id} rings at ${isoTime(dueAt)}${then}`, [{ type: "AlarmSet", data: { alarm } }]);
}

/** Bounds of what may be set (I7), each reported with what was seen and what is taken. */
function alarmProblem(state: RunState, { dueAt, note, step, attempt: id }: Asked<"alarm">): string | null {
  const { pending, perRun, longestMs, noteChars } = state.settings.alarms;
  const attempt = id === undefined ? undefined : state.attempts[id];
  if (id !== undefined && (attempt === undefined || attempt.ending !== null || attempt.exit !== null))
    return `${id} is not at work any more`;
  if (step !== undefined && !Object.hasOwn(state.steps, step))
    return `the run has no step "${step}"; its steps are ${Object.keys(state.steps).join(", ")}`;
  if (note.trim() === "") return "its note says nothing; expected words to be woken with";
  if (note.length > noteChars)
    return `its note has ${String(note.length)} characters; expected at most ${String(noteChars)}`;
  if (dueAt - state.at > longestMs)
    return `it would ring at ${isoTime(dueAt)}; expected a time within ${String(longestMs)} ms from now`;
  const open = Object.keys(state.alarms).length;
  if (open >= pending) return `${String(open)} alarms are pending, and no more are kept; cancel one first`;
  if (state.alarmsSet >= perRun)
    return `${String(state.alarmsSet)} alarms were set in this run, and that is its bound`;
  return null;
}

/** A person may take back any; an agent those of its own step that agents have set. */
export function cancelAlarm(
  state: RunState,
  { alarm: id, attempt }: Asked<"cancel_alarm">,
  by: string,
): Verdict {
  const alarm = state.alarms[id];
  const own = attempt === undefined ? undefined : (state.attempts[attempt]?.step ?? null);
  const mine = own === undefined || (alarm?.attempt !== undefined && alarm.step === own);
  if (alarm === undefined || !mine) {
    const open = Object.values(state.alarms).filter((one) => own === undefined || one.step === own);
    const ids = open.map((one) => one.id).join(", ") || "none";
    return refusedFor(`${id} is refused: there is no such pending alarm; pending are: ${ids}`);
  }
  return answered(`${id} will not ring`, [
    { type: "AlarmDropped", data: { id, by, why: "it was taken back" } },
  ]);
}
