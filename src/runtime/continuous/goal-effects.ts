import type { ChildFact } from "../../decide/continuous/child-fact.ts";
import type { ContinuousFacts } from "../../decide/continuous/continuous-facts.ts";
import { endedGoals, goalsOf, issuedGoals, type IssuedGoal } from "../../decide/continuous/goal-runs.ts";
import { SPENDING_KINDS } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { asFault, type FaultCode } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import { exactKey } from "../../model/text/text-key.ts";
import { createRun } from "../create-run.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";

/** Faults of the order itself: to try again would end in the same way. */
const HOPELESS: readonly FaultCode[] = [
  "usage",
  "config_invalid",
  "untrusted",
  "not_found",
  "file_refused",
  "agent_missing",
];

interface Owed {
  readonly id: string;
  readonly run: string;
  readonly request: RunRequest;
}

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

  #toSend(state: ContinuousState, { children }: ContinuousFacts): Owed[] {
    const asked = goalsOf(state).flatMap(({ runs }) =>
      runs.flatMap(({ run, asked }): Owed[] =>
        asked === null
          ? []
          : [{ id: `${run}.${asked.what}.${String(asked.seq)}`, run, request: { kind: asked.what } }],
      ),
    );
    const raised = issuedGoals(state).flatMap(({ run }) => raisedOf(run, children.get(run.run)));
    return [...asked, ...raised].filter(({ id }) => !this.#sent.has(id));
  }

  async #create(state: ContinuousState, { goal, run }: IssuedGoal): Promise<void> {
    const { world, goals } = this.#ports;
    const { name, spec } = state;
    try {
      if (goals === undefined || spec === null) return;
      const order = goal.isPlan
        ? await goals.planOrder(spec, goal.goal, endedGoals(state))
        : await goals.order(spec, goal.goal);
      const budget = { ...order.budget };
      for (const kind of SPENDING_KINDS) {
        const allowed = run.allowance[kind];
        if (allowed !== undefined) budget[kind] = Math.min(budget[kind] ?? Infinity, allowed);
      }
      world.crashPoint("continuous.create.before");
      const created = await createRun(this.#ports, this.#leases, {
        ...order,
        id: run.run,
        budget,
        by: sessionActor(name),
      });
      world.crashPoint("continuous.create.after");
      await this.#leases.release(created.run, created.epoch);
    } catch (fault) {
      await this.#refuse(name, run.run, fault);
    }
  }

  async #refuse(name: string, run: string, thrown: unknown): Promise<void> {
    const fault = asFault(thrown);
    if (HOPELESS.includes(fault.code)) this.refused.set(run, fault.message);
    if (HOPELESS.includes(fault.code)) return;
    if (fault.code !== "refused") throw fault;
    // It is there already, made by whoever decided this before; or somebody creates it at this very moment.
    const [created] = await this.#ports.journal.read(run, { after: 0, limit: 1 });
    if (created?.type === "RunCreated" && created.data.by !== sessionActor(name))
      this.refused.set(run, `there is a run "${run}" of somebody else`);
  }
}

/** Who asks for the runs of a session. */
const sessionActor = (name: string): string => `continuous:${name}`;

/** A budget that the run's own journal does not say yet. */
function raisedOf(run: IssuedGoal["run"], fact: ChildFact | undefined): Owed[] {
  if (fact === undefined || fact.waits?.reason !== "budget_exhausted") return [];
  const budget = Object.fromEntries(
    SPENDING_KINDS.flatMap((kind) => {
      const allowed = run.allowance[kind];
      return allowed !== undefined && (fact.budget[kind] ?? Infinity) < allowed ? [[kind, allowed]] : [];
    }),
  );
  if (Object.keys(budget).length === 0) return [];
  const id = `${run.run}.allowance.${exactKey(JSON.stringify(budget))}`;
  return [{ id, run: run.run, request: { kind: "budget", budget } }];
}
