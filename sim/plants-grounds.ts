import { decide } from "../src/decide/decide.ts";
import type { RunEvent } from "../src/model/events.ts";
import type { RunState } from "../src/model/run-state.ts";
import { withJudge } from "./plant-tools.ts";
import type { Plant } from "./sim-options.ts";

/** Bugs around what runs share. */
export const GROUND_PLANTS = {
  /** What others have met is not asked before a start. */
  startedIntoCooldown: (rooms) => ({
    ...rooms,
    judge: (state, now) => decide({ ...state, grounds: {} }, now),
  }),
  /** A limit that is over is gone on after twice. */
  continuedTwice: (rooms) =>
    withJudge(rooms, (events) =>
      events.flatMap((event): RunEvent[] => (event.type === "LimitPassed" ? [event, event] : [event])),
    ),
  /** Every run that suffers from a cause tells people of it. */
  everybodyTells: (rooms) => ({
    ...rooms,
    judge: (state, now) => decide({ ...state, grounds: asIfOwn(state) }, now),
  }),
  /** Agents that crash again and again are started again and again. */
  crashesUncounted: (rooms) =>
    withJudge(rooms, (events) => events.filter(({ type }) => type !== "CrashGuardTripped")),
} satisfies Record<string, Plant>;

const asIfOwn = ({ run, grounds }: RunState): RunState["grounds"] =>
  Object.fromEntries(
    Object.entries(grounds).map(([ground, heard]) => {
      const { incident } = heard.news;
      const news = { ...heard.news, incident: incident === null ? null : { ...incident, by: run } };
      return [ground, { ...heard, news }];
    }),
  );
