import { endedGoals } from "../../decide/continuous/goal-runs.ts";
import type { ContinuousState, GoalState } from "../../model/continuous/continuous-state.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { ScopeEffects } from "./scope-effects.ts";

export type GoalEffects = ScopeEffects<GoalState, ContinuousState>;

/** What a session does outside of its journal. */
export const goalEffects = (ports: Ports, leases: Leases): GoalEffects =>
  new ScopeEffects(ports, leases, {
    actor: (name) => `continuous:${name}`,
    also: () => [],
    order: (state, { goal }) => {
      const { goals } = ports;
      const { spec } = state;
      if (goals === undefined || spec === null) return null;
      return () =>
        goal.isPlan ? goals.planOrder(spec, goal.goal, endedGoals(state)) : goals.order(spec, goal.goal);
    },
    points: {
      beforeAsk: () => ports.world.crashPoint("continuous.ask.before"),
      afterAsk: () => ports.world.crashPoint("continuous.ask.after"),
      beforeCreate: () => ports.world.crashPoint("continuous.create.before"),
      afterCreate: () => ports.world.crashPoint("continuous.create.after"),
    },
  });
