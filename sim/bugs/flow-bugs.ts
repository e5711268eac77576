import { decide } from "../../src/decide/decide.ts";
import { startAttempt } from "../../src/decide/attempt/start-attempt.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState, StepState } from "../../src/model/state/run-state.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

/** Bugs around who may begin, and with what. */
export const FLOW_BUGS = {
  /** Whatever is ready begins, and whoever writes in the tree is not looked at. */
  treeShared: (ports) =>
    withJudge(ports, (events, state) => alsoBegins(events, state, ({ needsLeft }) => needsLeft === 0)),
  /** While an agent is at work the next one begins, although it builds on that work. */
  needsIgnored: (ports) =>
    withJudge(ports, (events, state) => alsoBegins(events, state, ({ needsLeft }) => needsLeft > 0)),
  /** Every attempt counts on all the money that the run was given. */
  sameMoneyTwice: (ports) =>
    withJudge(ports, (events, { budget: { usd, tokens } }) =>
      events.map((event): RunEvent => {
        if (event.type !== "AttemptStarted") return event;
        const all = { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
        return { type: "AttemptStarted", data: { ...event.data, reserved: all } };
      }),
    ),
  /** Hooks are a thing of the command line, and nobody calls them here. */
  hooksSkipped: (ports) => ({
    ...ports,
    decideWith: (state, now) => decide({ ...state, settings: { ...state.settings, hooks: [] } }, now),
  }),
  policiesSkipped: (ports) => ({
    ...ports,
    decideWith: (state, now) => decide({ ...state, settings: { ...state.settings, policies: [] } }, now),
  }),
} satisfies Record<string, InjectedBug>;

function alsoBegins(events: RunEvent[], state: RunState, isWanted: (step: StepState) => boolean): RunEvent[] {
  const isAtWork = Object.values(state.attempts).some(({ ending }) => ending === null);
  if (events.length > 0 || state.status !== "running" || !isAtWork) return events;
  const next = Object.values(state.steps).find(
    (step) => step.status === "pending" && step.live === null && step.notBefore === null && isWanted(step),
  );
  return next === undefined ? events : startAttempt(state, next, { now: state.at });
}
