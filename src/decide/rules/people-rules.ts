import type { RunState } from "../../model/state/run-state.ts";
import { answerRequest } from "../requests/answer-request.ts";
import { unansweredAt, decideLadder } from "../ladder/climb.ts";
import { alarmDueAt, dropAlarms, decideAlarms } from "../requests/decide-alarms.ts";
import { channelsOf, decideEscalations, reminderAt } from "../requests/decide-escalations.ts";
import { dropSettled, isBeingSent, isNoticeDue, decideNotices } from "../requests/decide-notices.ts";
import { keepUntold } from "../requests/talk-to-agent.ts";
import { due, type Rule } from "./rule.ts";

/** Before the next request: it must not find the question of a block that the last one settled. */
export const escalationRule: Rule = {
  name: "escalation",
  decide: decideEscalations,
  decideUnowned: decideEscalations,
  dueAt: (state) =>
    remindedOf(state).flatMap((escalation) =>
      due(reminderAt(state, escalation), { what: `the reminder about ${escalation.id}` }),
    ),
  holdsOpen: (state, now) => remindedOf(state).some((escalation) => now >= reminderAt(state, escalation)),
};

const remindedOf = (state: RunState): RunState["escalations"][string][] =>
  channelsOf(state).length === 0 ? [] : Object.values(state.escalations);

const answerFirst: NonNullable<Rule["decide"]> = (state) => {
  const [request] = state.requests;
  return request === undefined ? [] : answerRequest(state, request);
};

export const requestRule: Rule = {
  name: "request",
  decide: answerFirst,
  decideUnowned: answerFirst,
  holdsOpen: ({ requests }) => requests.length > 0,
};

export const wordsRule: Rule = { name: "words for later", decide: keepUntold };

export const alarmRule: Rule = {
  name: "alarm",
  decide: decideAlarms,
  dueAt: (state) => due(alarmDueAt(state), { what: "an alarm", stays: true }),
  holdsOpen: (state, now) => now >= alarmDueAt(state),
  owes: ({ alarms }) => Object.keys(alarms).length > 0,
};

/** An operator who does not answer about a stuck agent. */
export const ladderRule: Rule = {
  name: "ladder",
  decide: decideLadder,
  dueAt: (state) => due(unansweredAt(state), { what: "a question that an operator has not answered" }),
  holdsOpen: (state, now) => now >= (unansweredAt(state) ?? Infinity),
};

/** One that is due and not under way was queued by somebody who does not send: the one that comes next does. */
export const noticeRule: Rule = {
  name: "notice",
  decide: decideNotices,
  decideUnowned: (state) => [...dropSettled(state), ...dropAlarms(state)],
  dueAt: (state) =>
    Object.values(state.notices).map(({ notice, notBefore }) => ({
      at: notBefore,
      what: `the delivery of notice ${notice.id}`,
      stays: true,
      ...(isBeingSent(state, notice.id) ? { named: "only" as const } : {}),
    })),
  holdsOpen: isNoticeDue,
  owes: ({ notices }) => Object.keys(notices).length > 0,
};
