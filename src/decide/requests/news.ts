import { commandText } from "../../model/text/command-text.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Notice } from "../../model/settings/notice.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { channelsOf, notifiedThrough } from "./decide-escalations.ts";

/**
 * With what was decided, the notices that follow from it: that a question people were asked is settled, and that the
 * run has ended. They stand in the same append, so that a crash neither loses nor repeats them.
 */
export function withNews(state: RunState, events: RunEvent[], now: number): RunEvent[] {
  // The end of a program's run is the program's own.
  if (state.kind === "program") return events;
  return [...events, ...events.flatMap((event) => newsOf(state, event, now))];
}

function newsOf(state: RunState, event: RunEvent, at: number): RunEvent[] {
  const { goal: text } = state;
  if (event.type === "EscalationResolved") return resolvedNotices(state, event.data, at);
  if (event.type === "RunCompleted") return endedNotices(state, { how: "completed", text, at });
  if (event.type === "RunCancelled") return endedNotices(state, { how: "cancelled", text, at });
  return event.type === "RunFailed"
    ? endedNotices(state, { how: "failed", text: event.data.failure.text, at })
    : [];
}

function endedNotices(
  state: RunState,
  { how, text, at }: { readonly how: string; readonly text: string; readonly at: number },
): RunEvent[] {
  // A run that was reopened ends again, under another id.
  const id = `${state.run}.end${String(state.seq)}`;
  return channelsOf(state).map((channel) =>
    queued(state, channel, {
      ...{ id: `${id}/${channel}`, at, kind: "ended", text, reason: null, owner: null, escalation: null },
      title: `${state.run} ${how}`,
    }),
  );
}

const HOW_WORDS: Readonly<Record<EventData<"EscalationResolved">["how"], string>> = {
  unblocked: "it was answered",
  went_on: "the run continues",
  stopped: "the run was stopped",
};

/** Only where the question has arrived, or is under way. */
function resolvedNotices(
  state: RunState,
  { id, how, by, note }: EventData<"EscalationResolved">,
  at: number,
): RunEvent[] {
  const escalation = state.escalations[id];
  if (escalation === undefined) return [];
  const { reason, owner } = escalation;
  const text = `${HOW_WORDS[how]}${how === "unblocked" ? ` by ${by}` : ""}${note === undefined ? "" : `: ${note}`}`;
  return notifiedThrough(state, escalation)
    .filter((channel) => mayHaveArrived(state, `${id}/${channel}`))
    .map((channel) =>
      queued(state, channel, {
        ...{ id: `${id}/${channel}/resolved`, at, kind: "resolved", text, reason, owner, escalation: id },
        title: `${state.run} no longer needs ${owner === "operator" ? "an operator" : "you"}: ${reason}`,
      }),
    );
}

function mayHaveArrived({ notices, effects, undelivered }: RunState, id: string): boolean {
  const waiting = notices[id];
  if (waiting === undefined) return undelivered.every((notice) => notice.id !== id);
  return Object.hasOwn(effects, effectKey(id, "Notify", waiting.tries + 1));
}

const queued = (state: RunState, channel: string, notice: Omit<Notice, "run" | "command">): RunEvent => ({
  type: "NoticeQueued",
  data: {
    channel,
    notice: { ...notice, run: state.run, command: commandText(["status", state.run], null) },
  },
});
