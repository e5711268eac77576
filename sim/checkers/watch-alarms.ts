import { waitsForEnd } from "../../src/decide/requests/decide-alarms.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";

/** Every alarm rings once, or is dropped once and for a reason; never early, and never left lying when it is due. */
export function alarmsRing(): Watcher {
  const dueAt = new Map<string, number>();
  const known = new Set<string>();
  const over = (id: string, what: string, say: Say): void => {
    if (!dueAt.delete(id)) say(`${id} ${what} but was not pending`);
  };
  const level = ({ event, state }: Moment, say: Say): void => {
    if (state.status === "pausing") return;
    for (const alarm of Object.values(state.alarms))
      if (alarm.dueAt <= event.at && !waitsForEnd(state, alarm))
        say(`${alarm.id} is due and nobody rang it in the turn at ${String(event.seq)}`);
  };
  return {
    see(moment, say) {
      const { type, data, seq, at } = moment.event;
      if (type === "AlarmSet") {
        if (known.has(data.alarm.id)) say(`${data.alarm.id} is set again at ${String(seq)}`);
        known.add(data.alarm.id);
        dueAt.set(data.alarm.id, data.alarm.dueAt);
      }
      if (type === "AlarmRang") {
        if (at < (dueAt.get(data.id) ?? 0)) say(`${data.id} rings at ${String(seq)}, too early`);
        over(data.id, `rings at ${String(seq)}`, say);
      }
      if (type === "AlarmDropped") {
        over(data.id, `is dropped at ${String(seq)}`, say);
        if (data.by === "holdfast" && !isEnded(moment.state.status))
          say(`${data.id} is dropped at ${String(seq)} without a reason`);
      }
      if (moment.turnEnds) level(moment, say);
    },
    end(_, say) {
      for (const id of dueAt.keys()) say(`${id} never rang`);
    },
  };
}

/** What rang is in the task of the next attempt of its step, or was told to the one at work. */
export function rungIsTold(): Watcher {
  const kept = new Map<string, string[]>();
  return {
    see({ event }, say) {
      const { type, data, seq } = event;
      if (type === "AlarmRang" && data.how === "kept" && data.step !== undefined)
        kept.set(data.step, [...(kept.get(data.step) ?? []), data.text]);
      if (type !== "EffectIntended" || data.effect.kind !== "StartAgent") return;
      const { step, task } = data.effect;
      for (const text of kept.get(step) ?? [])
        if (!task.includes(text))
          say(`${data.effect.attempt} is not told at ${String(seq)} what rang: ${text}`);
      kept.delete(step);
    },
  };
}
