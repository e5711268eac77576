import type { NoticeState } from "../../model/state/asked-state.ts";
import type { EventData } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { noteIncidentReported } from "../resource/evolve-shared-resources.ts";

interface At {
  readonly at: number;
}

/** The part of the fold that concerns what people are asked and notified. */
export const evolveEscalation = {
  EscalationRaised(state: RunState, { escalation }: EventData<"EscalationRaised">, { at }: At): void {
    state.escalated += 1;
    state.escalations[escalation.id] = { ...escalation, raisedAt: at, notifiedAt: at };
  },
  EscalationResolved(state: RunState, { id }: EventData<"EscalationResolved">): void {
    Reflect.deleteProperty(state.escalations, id);
    state.undelivered = state.undelivered.filter(({ escalation }) => escalation !== id);
  },
  NoticeQueued(state: RunState, { notice, channel }: EventData<"NoticeQueued">, { at }: At): void {
    state.notices[notice.id] = { notice, channel, tries: 0, notBefore: at, lastFailure: null, lastWhy: null };
    const escalation = notice.escalation === null ? undefined : state.escalations[notice.escalation];
    if (escalation !== undefined) escalation.notifiedAt = at;
    if (notice.kind === "incident") noteIncidentReported(state, notice.id);
  },
  NoticeRetryScheduled(state: RunState, { id, notBefore }: EventData<"NoticeRetryScheduled">): void {
    const notice = state.notices[id];
    if (notice === undefined) return;
    notice.notBefore = notBefore;
    notice.lastFailure = null;
  },
  NoticeDropped(state: RunState, { id, why }: EventData<"NoticeDropped">, { at }: At): void {
    const entry = state.notices[id];
    if (entry !== undefined && isStillAsked(state, entry)) {
      const { channel, tries, notice } = entry;
      const dropped = { id, channel, escalation: notice.escalation, tries, why, at };
      state.undelivered = [...state.undelivered, dropped].slice(-UNDELIVERED_MAX);
    }
    Reflect.deleteProperty(state.notices, id);
    for (const [key, effect] of Object.entries(state.effects))
      if (effect.kind === "Notify" && effect.id === id) Reflect.deleteProperty(state.effects, key);
  },
};

/** People look at the newest ones; reminders may go on for months. */
const UNDELIVERED_MAX = 20;

/** What is settled needs no notice. */
const isStillAsked = (state: RunState, { notice }: NoticeState): boolean =>
  notice.escalation === null || Object.hasOwn(state.escalations, notice.escalation);
