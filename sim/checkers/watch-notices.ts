import { isEnded } from "../../src/model/state/run-status.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { EventData } from "../../src/model/events/events.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";
import { noticeOfKey, type Witness } from "../world/witness.ts";

/**
 * Every queued notice arrives at least once, under its one id, unless it is dropped for a reason: what it was about is
 * settled, its tries are used up, or the receiver will never take it.
 */
export function noticesArrive({ receiver }: Witness): Watcher {
  const waiting = new Set<string>();
  const queued = new Set<string>();
  const failed = new Map<string, { tries: number; terminal: boolean }>();
  const settled = ({ key, outcome }: EventData<"EffectSettled">, say: Say): void => {
    const id = noticeOfKey(key);
    if (id === null) return;
    if (outcome.kind === "done") {
      waiting.delete(id);
      if (!receiver.arrived.has(id)) say(`${id} is marked as sent and never arrived`);
      return;
    }
    const tries = (failed.get(id)?.tries ?? 0) + 1;
    failed.set(id, { tries, terminal: outcome.kind === "failed" && outcome.terminal });
  };
  const dropped = (id: string, { state }: Moment, say: Say): void => {
    if (!waiting.delete(id)) say(`${id} is dropped and was not waiting`);
    const open = Object.keys(state.escalations).some((escalation) => id.startsWith(`${escalation}/`));
    const { tries = 0, terminal = false } = failed.get(id) ?? {};
    if (open && !terminal && tries < state.settings.notify.tries)
      say(`${id} is dropped without a reason, after ${String(tries)} tries`);
  };
  return {
    see(moment, say) {
      const { type, data } = moment.event;
      if (type === "NoticeQueued") {
        if (queued.has(data.notice.id)) say(`${data.notice.id} is queued again`);
        queued.add(data.notice.id);
        waiting.add(data.notice.id);
      }
      if (type === "EffectIntended" && data.effect.kind === "Notify" && !waiting.has(data.effect.id))
        say(`${data.effect.id} is sent and was not waiting`);
      if (type === "EffectSettled") settled(data, say);
      if (type === "NoticeDropped") dropped(data.id, moment, say);
      if (moment.turnEnds) dueAreSent(moment, say);
    },
    end(state, say) {
      if (isEnded(state.status)) for (const id of waiting) say(`${id} is neither sent nor dropped`);
      strangers(state, queued).forEach(say);
    },
  };

  function strangers({ run }: RunState, known: ReadonlySet<string>): string[] {
    return [...receiver.arrived.keys()]
      .filter((id) => id.startsWith(`${run}.`) && !known.has(id))
      .map((id) => `${id} arrived and was never queued`);
  }
}

/** Level, not edge: whoever owns the run sends what is due, whoever queued it. */
function dueAreSent({ event, state }: Moment, say: Say): void {
  for (const [id, { notBefore, lastFailure }] of Object.entries(state.notices)) {
    const under = Object.values(state.effects).some((effect) => effect.kind === "Notify" && effect.id === id);
    if ((lastFailure !== null || event.at >= notBefore) && !under)
      say(`${id} is due and nobody sends it, at ${String(event.seq)}`);
  }
}
