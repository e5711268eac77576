import { isLiveWait } from "../../fold/attempt/live-wait.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { LAST_WORDS_MS } from "../attempt/decide-attempt.ts";
import { askedSuspendedAt, suspendAsked } from "../gate/decide-checks.ts";
import { healthDeadline } from "../health/decide-health.ts";
import { firstOutputBy, decideLiveAttempt, limitAt } from "../attempt/live-attempt.ts";
import { suspendAt } from "../attempt/quarantine.ts";
import { isPersonsWork } from "../requests/talk-to-agent.ts";
import { due, type Rule } from "./rule.ts";

/** All that is decided about an attempt; the rules after it say when time alone changes it. */
export const attemptRule: Rule = {
  name: "attempt",
  decide(state, now) {
    for (const attempt of Object.values(state.attempts)) {
      const events = decideLiveAttempt(state, attempt, now);
      if (events.length > 0) return events;
    }
    return [];
  },
  holdsOpen: (state) => Object.values(state.attempts).some((attempt) => !isPersonsWork(state, attempt)),
};

const notEnding = ({ attempts }: RunState): AttemptState[] =>
  Object.values(attempts).filter(({ ending }) => ending === null);

/** What a session said last may come in after its end. */
export const lastWordsRule: Rule = {
  name: "last words",
  dueAt: ({ attempts }) =>
    Object.values(attempts).flatMap(({ endedAt }) => due(endedAt === null ? null : endedAt + LAST_WORDS_MS)),
};

export const attemptLimitRule: Rule = {
  name: "attempt limit",
  dueAt: (state) =>
    notEnding(state)
      .filter((attempt) => !isLiveWait(state, attempt))
      .flatMap((attempt) => due(limitAt(state, attempt))),
};

export const suspendRule: Rule = {
  name: "suspension",
  dueAt: (state) =>
    Object.values(state.attempts).flatMap((attempt) =>
      due(suspendAt(state, attempt), {
        what: `the suspension of ${attempt.id}`,
        ...(attempt.ending === null ? {} : { named: "only" }),
      }),
    ),
};

export const firstOutputRule: Rule = {
  name: "first output",
  dueAt: (state) =>
    notEnding(state)
      .filter(({ started, lastSignalAt }) => started && lastSignalAt === null)
      .flatMap((attempt) => due(firstOutputBy(state, attempt))),
};

export const healthRule: Rule = {
  name: "health",
  dueAt: (state, now) => notEnding(state).flatMap((attempt) => due(healthDeadline(state, attempt, now))),
};

export const reviewRule: Rule = {
  name: "review",
  decide: suspendAsked,
  dueAt: (state) => due(askedSuspendedAt(state)),
};
