import type { EventData } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns what people are asked and told. */
export const evolveEscalation = {
  EscalationRaised(state: RunState, { escalation }: EventData<"EscalationRaised">, { at }: At): void {
    state.escalated += 1;
    state.escalations[escalation.id] = { ...escalation, raisedAt: at, toldAt: at };
  },
  EscalationResolved(state: RunState, { id }: EventData<"EscalationResolved">): void {
    Reflect.deleteProperty(state.escalations, id);
  },
  NoticeQueued(state: RunState, { notice, channel }: EventData<"NoticeQueued">, { at }: At): void {
    state.notices[notice.id] = { notice, channel, tries: 0, notBefore: at, lastFailure: null };
    const escalation = notice.escalation === null ? undefined : state.escalations[notice.escalation];
    if (escalation !== undefined) escalation.toldAt = at;
  },
  NoticeRetryScheduled(state: RunState, { id, notBefore }: EventData<"NoticeRetryScheduled">): void {
    const told = state.notices[id];
    if (told === undefined) return;
    told.notBefore = notBefore;
    told.lastFailure = null;
  },
  NoticeDropped(state: RunState, { id }: EventData<"NoticeDropped">): void {
    Reflect.deleteProperty(state.notices, id);
    for (const [key, effect] of Object.entries(state.effects))
      if (effect.kind === "Notify" && effect.id === id) Reflect.deleteProperty(state.effects, key);
  },
};
