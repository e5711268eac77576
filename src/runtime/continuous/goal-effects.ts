import type { ContinuousFacts } from "../../decide/continuous/continuous-facts.ts";
import { endedGoals, goalsOf, issuedGoals, type IssuedGoal } from "../../decide/continuous/goal-runs.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { createChild, requestsOwed, type OwedRequest } from "./child-effects.ts";

/**
 * What a session does outside of its journal, after it was recorded there: it creates runs and sends requests to them.
 * Each may be repeated at any time (I2): a run's id is the goal's, and a request's id follows from what wants it.
 */
export class GoalEffects {
  /** Why a run could not be created; told to the next turn. */
  readonly refused = new Map<string, string>();
  readonly #ports: Ports;
  readonly #leases: Leases;
  /** Requests that were sent by this process. */
  readonly #sent = new Set<string>();

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  isOwed(state: ContinuousState, facts: ContinuousFacts): boolean {
    return this.#toCreate(state, facts).length > 0 || this.#toSend(state, facts).length > 0;
  }

  async perform(state: ContinuousState, facts: ContinuousFacts): Promise<void> {
    for (const { id, run, request } of this.#toSend(state, facts)) {
      const { journal, world } = this.#ports;
      world.crashPoint("continuous.ask.before");
      await journal.ask({ id, address: run, request, by: sessionActor(state.name), at: world.now() });
      world.crashPoint("continuous.ask.after");
      this.#sent.add(id);
    }
    for (const issued of this.#toCreate(state, facts)) await this.#create(state, issued);
  }

  /** A stopped session creates nothing, also not what was decided before. */
  #toCreate(state: ContinuousState, { children }: ContinuousFacts): IssuedGoal[] {
    if (state.stop !== null || state.end !== null) return [];
    return issuedGoals(state).filter(
      ({ run }) => run.status === null && !children.has(run.run) && !this.refused.has(run.run),
    );
  }

  #toSend(state: ContinuousState, { children }: ContinuousFacts): OwedRequest[] {
    const runs = goalsOf(state).flatMap((goal) => goal.runs);
    const atWork = issuedGoals(state).map(({ run }) => run);
    return requestsOwed({ runs, atWork, children }).filter(({ id }) => !this.#sent.has(id));
  }

  async #create(state: ContinuousState, { goal, run }: IssuedGoal): Promise<void> {
    const { world, goals } = this.#ports;
    const { name, spec } = state;
    if (goals === undefined || spec === null) return;
    const why = await createChild(this.#ports, this.#leases, {
      run,
      by: sessionActor(name),
      order: () =>
        goal.isPlan ? goals.planOrder(spec, goal.goal, endedGoals(state)) : goals.order(spec, goal.goal),
      before: () => world.crashPoint("continuous.create.before"),
      after: () => world.crashPoint("continuous.create.after"),
    });
    if (why !== null) this.refused.set(run.run, why);
  }
}

/** Who asks for the runs of a session. */
const sessionActor = (name: string): string => `continuous:${name}`;
