import { decide } from "../../src/decide/decide.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

const HALF_AN_HOUR_MS = 1_800_000;

/** Bugs around people, checks and notices. */
export const PEOPLE_BUGS = {
  /** A block that nobody looked at for half an hour is taken for settled. */
  blockDecays: (ports) =>
    withJudge(ports, (events, state, now) =>
      events.length === 0 && state.blocked !== null && now - state.blockedAt > HALF_AN_HOUR_MS
        ? [{ type: "RunUnblocked", data: {} }]
        : events,
    ),
  /** Whoever takes over a blocked run asks again, because it does not remember having asked. */
  escalatedTwice: (ports) => {
    const mine = new Set<string>();
    return withJudge(ports, (events, state) => {
      for (const event of events) if (event.type === "EscalationRaised") mine.add(event.data.escalation.id);
      const other = Object.values(state.escalations).find(({ id }) => !mine.has(id));
      if (events.length > 0 || other === undefined || state.blocked === null) return events;
      const id = `${state.run}.e${String(state.escalated + 1)}`;
      mine.add(other.id).add(id);
      const { cause, reason, owner, detail } = other;
      return [{ type: "EscalationRaised", data: { escalation: { id, cause, reason, owner, detail } } }];
    });
  },
  /** A notice is said to be delivered as soon as it is handed over. */
  markedBeforeSent: (ports) => ({
    ...ports,
    notifier: {
      deliver: (notice, channel) => {
        ports.world.timer(5_000, () => void ports.notifier.deliver(notice, channel));
        return Promise.resolve({ kind: "delivered", detail: "handed over" });
      },
    },
  }),
  /** The outbox is in memory: what the last owner had queued, this one does not send. */
  noticeLostWithOwner: (ports) => {
    const mine = new Set<string>();
    return withJudge(ports, (events, state) => {
      for (const event of events) if (event.type === "NoticeQueued") mine.add(event.data.notice.id);
      const lost = Object.keys(state.notices).find((id) => !mine.has(id));
      return lost === undefined || state.requests.length > 0
        ? events
        : [{ type: "NoticeDropped", data: { id: lost, why: "its sender is gone" } }];
    });
  },
  /** The agent says that its work passes, and is believed. */
  checkTrusted: (ports) =>
    withJudge(ports, (events, state) => {
      const intended = events[0];
      if (intended?.type !== "EffectIntended" || intended.data.effect.kind !== "RunCheck") return events;
      return passed(state, intended.data.effect);
    }),
  /** A step is done when its agent is, although it has checks. */
  doneUnchecked: (ports) =>
    withJudge(ports, (events, state) =>
      events.flatMap((event): RunEvent[] => {
        if (event.type !== "AttemptEnded" || event.data.outcome !== "succeeded") return [event];
        const { attempt } = event.data;
        const step = state.attempts[attempt]?.step ?? "";
        return events.some(({ type }) => type === "StepSucceeded")
          ? [event]
          : [event, { type: "StepSucceeded", data: { step, attempt } }];
      }),
    ),
  /** Work that fails its checks goes back for ever, unless nobody does anything about it. */
  checkTriesForgotten: (ports) =>
    withJudge(ports, (events) =>
      events.map((event): RunEvent =>
        event.type === "StepFailed" &&
        event.data.failure.class === "check_failed" &&
        !event.data.failure.text.startsWith("no file was changed")
          ? { type: "StepRetryScheduled", data: { step: event.data.step, notBefore: 0 } }
          : event,
      ),
    ),
  /** The next attempt is told its task alone. */
  feedbackForgotten: (ports) =>
    withJudge(ports, (events, state) =>
      events.map((event): RunEvent => {
        if (event.type !== "EffectIntended" || event.data.effect.kind !== "StartAgent") return event;
        const { effect, key } = event.data;
        const task = state.steps[effect.step]?.spec.task ?? effect.task;
        return { type: "EffectIntended", data: { key, effect: { ...effect, task } } };
      }),
    ),
  /** Bad credentials are tried again like anything else. */
  terminalRetried: (ports) =>
    withJudge(ports, (events) =>
      events.map((event): RunEvent =>
        event.type === "StepFailed" && event.data.failure.class === "terminal"
          ? { type: "StepRetryScheduled", data: { step: event.data.step, notBefore: 0 } }
          : event,
      ),
    ),
  /** What agents use is looked at only when the run is created. */
  budgetUnwatched: (ports) =>
    withJudge(ports, (events, state, now) =>
      events.some(({ type, data }) => type === "RunBlocked" && data.blocked.reason === "budget_exhausted")
        ? decide({ ...state, budget: {} }, now)
        : events,
    ),
  /** Time limits go on while a person is waited for. */
  waitingCounted: (ports) =>
    withJudge(ports, (events, state, now) => {
      const late = Object.values(state.attempts).find(
        ({ ending, startedAt }) => ending === null && now - startedAt > state.settings.attempts.limitMs,
      );
      return events.length > 0 || late === undefined || state.stoppingTo !== null
        ? events
        : [{ type: "AttemptEnding", data: { attempt: late.id, to: "timed_out", why: "its time is over" } }];
    }),
} satisfies Record<string, InjectedBug>;

function passed(state: RunState, { step, attempt }: { step: string; attempt: string }): RunEvent[] {
  const result = state.steps[step]?.result;
  return [
    { type: "StepChecked", data: { step, attempt, verdict: "pass" } },
    { type: "StepSucceeded", data: { step, attempt, result } },
  ];
}
