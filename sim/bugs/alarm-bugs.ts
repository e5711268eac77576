import { alarmId } from "../../src/model/requests/alarm.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

/** Bugs around alarms. */
export const ALARM_BUGS = {
  /** Alarms are timers in memory: those that another owner took up are given up by this one. */
  alarmLostWithOwner: (ports) => {
    const mine = new Set<string>();
    return withJudge(ports, (events, state) => {
      for (const event of events) if (event.type === "AlarmSet") mine.add(event.data.alarm.id);
      const lost = Object.keys(state.alarms).find((id) => !mine.has(id));
      return lost === undefined || events.length > 0
        ? events
        : [{ type: "AlarmDropped", data: { id: lost, by: "holdfast", why: "its timer is gone" } }];
    });
  },
  /** Whoever takes over rings again what rang before: it does not remember having rung it. */
  alarmRungTwice: (ports) => {
    const mine = new Set<string>();
    return withJudge(ports, (events, state) => {
      for (const event of events) if (event.type === "AlarmRang") mine.add(event.data.id);
      for (let nth = 1; nth <= state.alarmsSet; nth += 1) {
        const id = alarmId(state.run, nth);
        if (events.length > 0 || mine.has(id) || Object.hasOwn(state.alarms, id)) continue;
        mine.add(id);
        return [{ type: "AlarmRang", data: { id, how: "unheard", text: "again" } }];
      }
      return events;
    });
  },
  /** What rang is written down and told to nobody. */
  rungForgotten: (ports) =>
    withJudge(ports, (events, state) =>
      events.map((event): RunEvent => {
        if (event.type !== "EffectIntended" || event.data.effect.kind !== "StartAgent") return event;
        const { effect, key } = event.data;
        const rung = state.steps[effect.step]?.rung.join("\n") ?? "";
        const task = rung === "" ? effect.task : effect.task.replace(rung, "");
        return { type: "EffectIntended", data: { key, effect: { ...effect, task } } };
      }),
    ),
} satisfies Record<string, InjectedBug>;
