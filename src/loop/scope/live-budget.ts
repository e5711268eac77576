import { budgetView, exhaustedIn, shortageOf, type Exhausted } from "../../decide/budget/program-budget.ts";
import { moveBudgetScopes } from "../../fold/program/move-budget-scopes.ts";
import { keyText } from "../../model/values/program-key.ts";
import {
  type Budget,
  BUDGET_KINDS,
  type BudgetKind,
  type BudgetScopes,
  RUN_BUDGET,
} from "../../model/requests/budget.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { BudgetHandle, Spending } from "../workflow-function.ts";
import { checkSpending } from "../check-run-options.ts";
import { BudgetClock } from "./budget-clock.ts";

/** What is looked at before a step; before an iteration, iterations too. */
const STEP_KINDS: readonly BudgetKind[] = ["tokens", "usd", "timeMs"];

/**
 * The budgets of a life: the recorded budget scopes, moved already by what is on its way to the journal. Every event
 * passes here in the order in which it is appended, so both are moved alike and this one is never behind. Only a budget
 * that is set passes when its turn has come: it moves the total, which nothing else does.
 */
export class LiveBudget {
  readonly clock: BudgetClock;
  readonly #budgets: BudgetScopes;

  constructor(recorded: BudgetScopes, world: Pick<World, "now" | "steady">) {
    this.#budgets = structuredClone(recorded);
    this.clock = new BudgetClock(world, this.#budgets);
    this.clock.start(RUN_BUDGET);
    for (const [key, { total }] of Object.entries(recorded))
      if (total.timeMs !== undefined) this.clock.start(key);
  }

  get budgets(): Readonly<BudgetScopes> {
    return this.#budgets;
  }

  move(event: RunEvent): void {
    // Time counts from when it is first limited.
    if (event.type === "BodyBudgetSet" && this.#budgets[RUN_BUDGET]?.total.timeMs === undefined)
      this.clock.take(RUN_BUDGET);
    moveBudgetScopes(this.#budgets, event);
    if (event.type === "BodySpawned" && event.data.budget?.timeMs !== undefined)
      this.clock.start(event.data.key);
    if (event.type === "BodyChildEnded") this.clock.forget(event.data.key);
  }

  /** Time that was worked since it was last recorded, as events; only where time is limited. */
  takeTime(): RunEvent[] {
    const events: RunEvent[] = [];
    for (const scope of this.clock.keys()) {
      const timeMs = this.#budgets[scope]?.total.timeMs === undefined ? 0 : this.clock.take(scope);
      if (timeMs > 0)
        events.push({ type: "BodySpent", data: { scope, tokens: 0, usd: 0, iterations: 0, timeMs } });
    }
    return events;
  }

  /** What stops the next step or iteration of a scope, or null. */
  stopper(path: readonly string[], next: "step" | "iteration"): Exhausted | null {
    const kinds = next === "step" ? STEP_KINDS : BUDGET_KINDS;
    return exhaustedIn(this.#budgets, path, kinds, (key) => this.clock.running(key));
  }

  /** Why a child cannot be given that budget, or null. */
  refusal(path: readonly string[], name: string, budget: Budget): Fault | null {
    const short = shortageOf(this.#budgets, path, budget);
    if (short === null) return null;
    const { kind, wanted, free } = short;
    return new Fault(
      "budget_exhausted",
      `the child "${name}" asks for ${String(wanted)} ${kind}, but ${String(free)} are free here; ask for less, wait until another child gives back, or raise the budget`,
      { details: { ...short } },
    );
  }

  handle(path: readonly string[], note: (spending: Spending) => void): BudgetHandle {
    const view = () => budgetView(this.#budgets, path, (key) => this.clock.running(key));
    return {
      get total() {
        return view().total;
      },
      get free() {
        return view().free;
      },
      get reserved() {
        return view().reserved;
      },
      get spent() {
        return view().spent;
      },
      get remaining() {
        const free = Object.entries(view().free);
        return Object.fromEntries(free.map(([kind, left = 0]) => [kind, Math.max(0, left)]));
      },
      spend: (spending) => {
        note(checkSpending(spending));
      },
    };
  }
}

/** A child that used up what it was given fails with this; the one that spawned it may catch it. */
export const exhaustedFault = ({ kind, key, total, spent }: Exhausted): Fault =>
  new Fault(
    "budget_exhausted",
    `the budget of "${keyText(key)}" is spent: ${String(spent)} of ${String(total)} ${kind}; what it did is kept`,
    { details: { kind, total, spent } },
  );

/** The run stops where its own budget is used up. */
export function budgetSpent({ kind, spent, total, reserved }: Exhausted): RunEvent {
  const kept = reserved > 0 ? `, ${String(reserved)} more are reserved by children` : "";
  const detail = `the budget of ${kind} is spent: ${String(spent)} of ${String(total)}${kept}; what was done is kept`;
  const blocked = { reason: "budget_exhausted" as const, detail, attemptKept: true, guidance: [] };
  return { type: "RunBlocked", data: { blocked } };
}
