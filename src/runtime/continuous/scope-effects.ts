import type { ChildFact } from "../../decide/continuous/child-fact.ts";
import type { ChildGoal, ChildScope } from "../../decide/continuous/child-scope.ts";
import { issuedGoals, type IssuedGoal } from "../../decide/continuous/goal-runs.ts";
import type { RunOrder } from "../create-run.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { createChild, requestsOwed, type OwedRequest } from "./child-effects.ts";

interface Scope<Goal extends ChildGoal> extends ChildScope<Goal> {
  readonly name: string;
  readonly end: object | null;
}

interface Facts {
  readonly children: ReadonlyMap<string, ChildFact>;
}

/** What tells the effects of a session from those of a mission. */
export interface ScopeKind<Goal extends ChildGoal, State extends Scope<Goal>> {
  /** The name under which it asks for its runs. */
  readonly actor: (name: string) => string;
  /** Null where this process cannot make orders for it. */
  readonly order: (state: State, issued: IssuedGoal<Goal>) => (() => Promise<RunOrder>) | null;
  /** Requests besides those that every scope has for its runs. */
  readonly also: (state: State) => readonly OwedRequest[];
  /** Crash points around a request, and around a run's first event. */
  readonly points: Readonly<Record<"beforeAsk" | "afterAsk" | "beforeCreate" | "afterCreate", () => void>>;
}

/**
 * What a session or a mission does outside of its journal, after it was recorded there: it creates runs and sends requests
 * to them. Each may be repeated at any time (I2): a run's id is the try's, and a request's id follows from the event that
 * wants it.
 */
export class ScopeEffects<Goal extends ChildGoal, State extends Scope<Goal>> {
  /** Why a run could not be created; the next turn records it. */
  readonly refused = new Map<string, string>();
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #kind: ScopeKind<Goal, State>;
  /** Requests that this process has sent. */
  readonly #sent = new Set<string>();

  constructor(ports: Ports, leases: Leases, kind: ScopeKind<Goal, State>) {
    this.#ports = ports;
    this.#leases = leases;
    this.#kind = kind;
  }

  isOwed(state: State, facts: Facts): boolean {
    return this.#toCreate(state, facts).length > 0 || this.#toSend(state, facts).length > 0;
  }

  async perform(state: State, facts: Facts): Promise<void> {
    const { actor, points } = this.#kind;
    const { journal, world } = this.#ports;
    for (const { id, run, request } of this.#toSend(state, facts)) {
      points.beforeAsk();
      await journal.ask({ id, address: run, request, by: actor(state.name), at: world.now() });
      points.afterAsk();
      this.#sent.add(id);
    }
    for (const issued of this.#toCreate(state, facts)) await this.#create(state, issued);
  }

  /** What is stopped creates nothing, also not what was decided before. */
  #toCreate(state: State, { children }: Facts): IssuedGoal<Goal>[] {
    if (state.stop !== null || state.end !== null) return [];
    return issuedGoals(state).filter(
      ({ run }) => run.status === null && !children.has(run.run) && !this.refused.has(run.run),
    );
  }

  #toSend(state: State, { children }: Facts): OwedRequest[] {
    const runs = Object.values(state.goals).flatMap((one) => one.runs);
    const atWork = issuedGoals(state).map(({ run }) => run);
    const owed = [...requestsOwed({ runs, atWork, children }), ...this.#kind.also(state)];
    return owed.filter(({ id }) => !this.#sent.has(id));
  }

  async #create(state: State, issued: IssuedGoal<Goal>): Promise<void> {
    const { actor, order: orderOf, points } = this.#kind;
    const order = orderOf(state, issued);
    if (order === null) return;
    const { run } = issued;
    const why = await createChild(this.#ports, this.#leases, {
      run,
      by: actor(state.name),
      order,
      before: points.beforeCreate,
      after: points.afterCreate,
    });
    if (why !== null) this.refused.set(run.run, why);
  }
}
