import { type Blocked, type Escalation, escalationId } from "../../model/requests/blocked.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Notice } from "../../model/settings/notice.ts";
import type { OpenEscalation } from "../../model/state/asked-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { recoveryArguments, recoveryOf } from "../recovery/recovery.ts";

/** What a block is about: while it stands, it is raised once. */
const causeOf = ({ reason, step, gate, owner }: Blocked): string =>
  [reason, step ?? gate, owner].filter((part) => part !== undefined).join("/");

/**
 * A run that needs somebody has one open escalation, and a run that does not has none. Level, not edge: asked again
 * after any crash it says the same (I3).
 */
export function decideEscalations(state: RunState, now: number): RunEvent[] {
  const cause = state.blocked === null ? null : causeOf(state.blocked);
  const open = Object.values(state.escalations);
  const settled = open.filter((escalation) => escalation.cause !== cause);
  if (settled.length > 0) return settled.map(({ id }) => resolved(state, id));
  if (state.blocked === null || cause === null) return [];
  if (open.length === 0) return raise(state, state.blocked, { cause, now });
  return open.flatMap((escalation) => remind(state, escalation, now));
}

const resolved = (state: RunState, id: string): RunEvent => ({
  type: "EscalationResolved",
  data: {
    id,
    how: isEnded(state.status) || state.status === "pausing" ? "stopped" : "went_on",
    by: "holdfast",
  },
});

function raise(
  state: RunState,
  blocked: Blocked,
  { cause, now }: { cause: string; now: number },
): RunEvent[] {
  const owner = blocked.owner ?? recoveryOf(blocked.reason).owner;
  // What Holdfast settles by itself is nobody's task.
  if (owner === "holdfast") return [];
  const id = escalationId(state.run, state.escalated + 1);
  const { reason, detail, step } = blocked;
  const escalation = { id, cause, reason, owner, detail, ...(step === undefined ? {} : { step }) };
  // What nobody has answered in time goes to those too whom ordinary questions do not reach.
  const channels =
    blocked.owner === undefined ? channelsOf(state) : Object.keys(state.settings.notify.channels);
  const queued = channels.map((channel) =>
    notice(state, escalation, { id: `${id}/${channel}`, kind: "escalation", channel, now }),
  );
  return [{ type: "EscalationRaised", data: { escalation } }, ...queued];
}

/** Where people are notified at once; the others are kept for what nobody answers. */
export const channelsOf = ({ settings: { notify } }: RunState): string[] =>
  Object.keys(notify.channels).filter((channel) => !notify.external.includes(channel));

/** Notifies people of what is open through the channels that are kept for what nobody answers. */
export function externalNotices(state: RunState, now: number): RunEvent[] {
  const { channels, external } = state.settings.notify;
  const [escalation] = Object.values(state.escalations);
  if (escalation === undefined) return [];
  return external
    .filter((channel) => Object.hasOwn(channels, channel))
    .map((channel) =>
      notice(state, escalation, { id: `${escalation.id}/${channel}`, kind: "reminder", channel, now }),
    );
}

/** When a person is notified again about what is still open. */
export const reminderAt = (state: RunState, { notifiedAt }: OpenEscalation): number =>
  notifiedAt + state.settings.notify.remindMs;

function remind(state: RunState, escalation: OpenEscalation, now: number): RunEvent[] {
  if (now < reminderAt(state, escalation)) return [];
  const nth = Math.floor((now - escalation.raisedAt) / state.settings.notify.remindMs);
  return notifiedThrough(state, escalation).map((channel) => {
    const id = `${escalation.id}/${channel}/r${String(nth)}`;
    return notice(state, escalation, { id, kind: "reminder", channel, now });
  });
}

/** Notifies people once more, beside the reminders that come by themselves. */
export const remindAbout = (state: RunState, word: string, now: number): RunEvent[] =>
  Object.values(state.escalations).flatMap((escalation) =>
    channelsOf(state).map((channel) =>
      notice(state, escalation, {
        id: `${escalation.id}/${channel}/${word}`,
        kind: "reminder",
        channel,
        now,
      }),
    ),
  );

/** The channels through which people were asked: they receive reminders and the end by the same ways. */
export function notifiedThrough(state: RunState, { step }: Escalation): string[] {
  const isExternal = step !== undefined && state.steps[step]?.ladder?.remedy === "external";
  const wasNotified = isExternal && state.steps[step]?.ladder?.outcome !== "not_applicable";
  return wasNotified ? Object.keys(state.settings.notify.channels) : channelsOf(state);
}

interface Notification {
  readonly id: string;
  readonly kind: Notice["kind"];
  readonly channel: string;
  readonly now: number;
}

function notice(state: RunState, escalation: Escalation, { id, kind, channel, now }: Notification): RunEvent {
  const words = state.blocked === null ? ["status", state.run] : recoveryArguments(state, state.blocked);
  return {
    type: "NoticeQueued",
    data: {
      channel,
      notice: {
        id,
        at: now,
        kind,
        run: state.run,
        title: `${state.run} ${kind === "reminder" ? "still needs" : "needs"} ${escalation.owner === "operator" ? "an operator" : "you"}: ${escalation.reason}`,
        text: escalation.detail,
        reason: escalation.reason,
        owner: escalation.owner,
        command: commandText(words, null),
        escalation: escalation.id,
      },
    },
  };
}
