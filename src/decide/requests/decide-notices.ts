import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { NoticeState } from "../../model/state/asked-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { jittered } from "../dispatch/jitter.ts";

/**
 * The outbox: a notice is sent again and again, under one id, until somebody has taken it. A try whose answer was
 * lost with its supervisor counts as not made: the notice arrives at least once.
 */
export function decideNotices(state: RunState, now: number): RunEvent[] {
  const settled = dropSettled(state);
  if (settled.length > 0) return settled;
  for (const notice of Object.values(state.notices)) {
    const events = decideNotice(state, notice, now);
    if (events.length > 0) return events;
  }
  return [];
}

/** A notice is to be sent now, or a try that failed is to be answered. */
export const isNoticeDue = (state: RunState, now: number): boolean =>
  Object.values(state.notices).some(({ notBefore, lastFailure }) => lastFailure !== null || now >= notBefore);

export const isBeingSent = (state: RunState, id: string): boolean =>
  Object.values(state.effects).some((effect) => effect.kind === "Notify" && effect.id === id);

/** Nobody needs to be notified any more of what is settled. */
export const dropSettled = (state: RunState): RunEvent[] =>
  Object.values(state.notices)
    .filter((notice) => isSettled(state, notice))
    .map(({ notice }) => dropped(notice.id, "what it was about is settled"));

const isSettled = ({ escalations }: RunState, { notice }: NoticeState): boolean =>
  notice.kind !== "resolved" && notice.escalation !== null && !Object.hasOwn(escalations, notice.escalation);

function decideNotice(state: RunState, entry: NoticeState, now: number): RunEvent[] {
  if (entry.lastFailure !== null) return afterFailure(state, entry, now);
  const { notice, channel: name, tries, notBefore } = entry;
  const key = effectKey(notice.id, "Notify", tries + 1);
  if (now < notBefore || Object.hasOwn(state.effects, key)) return [];
  const { channels, dashboard } = state.settings.notify;
  const channel = channels[name];
  if (channel === undefined) return [dropped(notice.id, `the run knows no channel "${name}"`)];
  const link = dashboard === undefined ? {} : { dashboard };
  const effect = { kind: "Notify", id: notice.id, channel, notice, cwd: state.cwd, ...link } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

function afterFailure(state: RunState, { notice, tries, lastFailure }: NoticeState, now: number): RunEvent[] {
  const { tries: triesMax, retryMs, retryCapMs } = state.settings.notify;
  const why = lastFailure?.text ?? "";
  if (lastFailure?.terminal === true) return [dropped(notice.id, why)];
  if (tries >= triesMax) return [dropped(notice.id, `${String(tries)} tries failed; the last one: ${why}`)];
  const drawn = jittered(
    Math.min(retryCapMs, retryMs * 2 ** Math.min(tries - 1, 30)),
    `${notice.id}/${String(tries)}`,
  );
  const notBefore = now + Math.max(drawn, Math.min(lastFailure?.retryAfterMs ?? 0, retryCapMs));
  return [{ type: "NoticeRetryScheduled", data: { id: notice.id, notBefore, why } }];
}

const dropped = (id: string, why: string): RunEvent => ({ type: "NoticeDropped", data: { id, why } });
