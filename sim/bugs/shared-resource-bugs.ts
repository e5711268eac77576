import { decide } from "../../src/decide/decide.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { withJudge } from "./bug-tools.ts";
import type { InjectedBug } from "../world/sim-options.ts";

/** Bugs around what runs share. */
export const SHARED_RESOURCE_BUGS = {
  /** What others have met is not asked before a start. */
  startedIntoCooldown: (ports) => ({
    ...ports,
    decideWith: (state, now) => decide({ ...state, sharedResources: {} }, now),
  }),
  /** A limit that is over is gone on after twice. */
  continuedTwice: (ports) =>
    withJudge(ports, (events) =>
      events.flatMap((event): RunEvent[] => (event.type === "LimitPassed" ? [event, event] : [event])),
    ),
  /** Every run that suffers from a cause tells people of it. */
  everybodyTells: (ports) => ({
    ...ports,
    decideWith: (state, now) => decide({ ...state, sharedResources: asIfOwn(state) }, now),
  }),
  /** Agents that crash again and again are started again and again. */
  crashesUncounted: (ports) =>
    withJudge(ports, (events) => events.filter(({ type }) => type !== "CrashGuardTripped")),
} satisfies Record<string, InjectedBug>;

const asIfOwn = ({ run, sharedResources: grounds }: RunState): RunState["sharedResources"] =>
  Object.fromEntries(
    Object.entries(grounds).map(([ground, heard]) => {
      const { incident } = heard.news;
      const news = { ...heard.news, incident: incident === null ? null : { ...incident, by: run } };
      return [ground, { ...heard, news }];
    }),
  );
