import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { budgetView, exhaustedIn, freeOf, shortageOf } from "../../../src/decide/budget/program-budget.ts";
import { moveBudgetScopes } from "../../../src/fold/program/move-budget-scopes.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { childScope } from "../../../src/model/values/program-key.ts";
import {
  type Budget,
  BUDGET_KINDS,
  type BudgetKind,
  type BudgetScope,
  type BudgetScopes,
  newBudgetScope,
  RUN_BUDGET,
  toUnits,
  unitsOf,
} from "../../../src/model/requests/budget.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { programOf } from "../../loop/program-of.ts";

/** A scope of the imagined tree: the run, or an attempt of a child. */
interface Node {
  readonly key: string;
  attempt: number;
  readonly parent: Node | null;
  budget: Budget | null;
  isLive: boolean;
}

interface Spend {
  readonly by: Node;
  readonly kind: BudgetKind;
  readonly units: number;
}

const pathOf = (node: Node): string[] =>
  node.parent === null
    ? []
    : [...pathOf(node.parent), childScope(node.key.split("/").at(-1) ?? "", node.attempt)];

/** The nearest budget scope that is still there and limits the kind: said once more, without the module under test. */
function holder(from: Node | null, kind: BudgetKind): string {
  for (let node = from; node !== null && node.parent !== null; node = node.parent)
    if (node.isLive && node.budget?.[kind] !== undefined) return node.key;
  return RUN_BUDGET;
}

const kindAmounts = fc.record(
  { tokens: fc.nat(500), usd: fc.double({ min: 0, max: 2, noNaN: true }), timeMs: fc.nat(5_000) },
  { requiredKeys: [] },
);
const budgetsUpTo = (scale: number) =>
  fc.record(
    {
      tokens: fc.integer({ min: 1, max: 200 * scale }),
      usd: fc.double({ min: 0.000_001, max: scale, noNaN: true }),
      iterations: fc.integer({ min: 1, max: 5 * scale }),
      timeMs: fc.integer({ min: 1, max: 3_000 * scale }),
    },
    { requiredKeys: [] },
  );
const budgets = budgetsUpTo(10);
const commands = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("spawn" as const), at: fc.nat(30), budget: fc.option(budgetsUpTo(1)) }),
    fc.record({ do: fc.constant("spend" as const), at: fc.nat(30), amounts: kindAmounts }),
    fc.record({ do: fc.constant("iterate" as const), at: fc.nat(30) }),
    fc.record({ do: fc.constant("end" as const), at: fc.nat(30), fails: fc.boolean() }),
    fc.record({ do: fc.constant("restart" as const), at: fc.nat(30) }),
    fc.record({ do: fc.constant("raise" as const), budget: budgets }),
  ),
  { maxLength: 40, size: "max" },
);
type Command = (typeof commands extends fc.Arbitrary<(infer One)[]> ? One : never) & object;

/** A tree that lives through commands, and what a bookkeeper outside would say of it. */
class Imagined {
  readonly run: Node = { key: RUN_BUDGET, attempt: 1, parent: null, budget: null, isLive: true };
  readonly nodes: Node[] = [this.run];
  readonly spends: Spend[] = [];
  readonly budgets: BudgetScopes;
  readonly events: RunEvent[] = [];
  readonly #polite: boolean;
  #iterations = 0;
  total: Budget;

  constructor(total: Budget, polite: boolean) {
    this.total = total;
    this.#polite = polite;
    this.budgets = { [RUN_BUDGET]: newBudgetScope(total) };
  }

  #move(event: RunEvent): void {
    this.events.push(event);
    moveBudgetScopes(this.budgets, event);
  }

  #inside = (node: Node, outer: Node): boolean =>
    node.parent !== null && (node.parent === outer || this.#inside(node.parent, outer));

  #kill(outer: Node): void {
    for (const node of this.nodes) if (this.#inside(node, outer)) node.isLive = false;
  }

  obey(command: Command): void {
    const live = this.nodes.filter((node) => node.isLive);
    const node = "at" in command ? (live[command.at % live.length] ?? this.run) : this.run;
    switch (command.do) {
      case "spawn":
        return this.#spawn(node, command.budget);
      case "spend":
        return this.#spend(node, command.amounts);
      case "iterate":
        return this.#iterate(node);
      case "end":
        return this.#end(node, command.fails);
      case "restart":
        return this.#restart(node);
      case "raise":
        if (this.#polite) return;
        this.total = command.budget;
        return this.#move({ type: "BodyBudgetSet", data: { budget: command.budget, by: "test" } });
    }
  }

  #spawn(parent: Node, budget: Budget | null): void {
    const given = budget !== null && Object.keys(budget).length > 0 ? budget : null;
    const short = given === null ? null : shortageOf(this.budgets, pathOf(parent), given);
    if (short !== null) {
      const free =
        freeOf(this.budgets[holder(parent, short.kind)] ?? newBudgetScope({}), short.kind) ?? Infinity;
      assert.ok(toUnits(short.kind, given?.[short.kind] ?? 0) > free, "refused although it was free");
      return;
    }
    const key = [...pathOf(parent), `spawn:c${String(this.nodes.length)}`].join("/");
    this.nodes.push({ key, attempt: 1, parent, budget: given, isLive: true });
    this.#move({
      type: "BodySpawned",
      data: { key, input: "x", attempt: 1, ...(given === null ? {} : { budget: given }) },
    });
    for (const kind of BUDGET_KINDS) {
      const budget = this.budgets[holder(parent, kind)] ?? newBudgetScope({});
      if (given?.[kind] !== undefined)
        assert.ok((freeOf(budget, kind) ?? 0) >= 0, "reserved what was not free");
    }
  }

  #spend(by: Node, amounts: Partial<Record<"tokens" | "usd" | "timeMs", number>>): void {
    const affordable = Object.fromEntries(
      Object.entries(amounts).filter(([kind, amount]) => this.#canPay(by, kind as BudgetKind, amount)),
    );
    const data = { scope: pathOf(by).join("/"), tokens: 0, usd: 0, iterations: 0, ...affordable };
    this.#move({ type: "BodySpent", data });
    for (const [kind, amount] of Object.entries(affordable) as [BudgetKind, number][])
      this.spends.push({ by, kind, units: toUnits(kind, amount) });
  }

  #canPay(by: Node, kind: BudgetKind, amount: number): boolean {
    const free = freeOf(this.budgets[holder(by, kind)] ?? newBudgetScope({}), kind) ?? Infinity;
    return !this.#polite || toUnits(kind, amount) <= free;
  }

  #iterate(by: Node): void {
    if (!this.#canPay(by, "iterations", 1)) return;
    const key = [...pathOf(by), "loop:l"].join("/");
    this.#move({
      type: "BodyLooped",
      data: { key, i: (this.#iterations += 1), patch: { set: 1 }, done: false },
    });
    this.spends.push({ by, kind: "iterations", units: 1 });
  }

  #end(node: Node, fails: boolean): void {
    if (node === this.run) return;
    this.#kill(node);
    node.isLive = false;
    const ended = fails
      ? { kind: "error" as const, error: { name: "Error", message: "x" } }
      : { kind: "value" as const, value: 1 };
    this.#move({ type: "BodyChildEnded", data: { key: node.key, ended } });
  }

  #restart(node: Node): void {
    if (node === this.run) return;
    this.#kill(node);
    node.attempt += 1;
    this.#move({ type: "BodySpawned", data: { key: node.key, input: "x", attempt: node.attempt } });
  }

  /** Every promise, for every budget scope that is there, from nothing but who spent what and who lives. */
  check(): void {
    const withBudgets = this.nodes.filter(
      (node) => node.isLive && (node.budget !== null || node === this.run),
    );
    assert.deepEqual(Object.keys(this.budgets).sort(), withBudgets.map((node) => node.key).sort());
    for (const kind of BUDGET_KINDS) {
      let everything = 0;
      for (const node of withBudgets) {
        const pot = this.budgets[node.key] as BudgetScope;
        const budget = node === this.run ? this.total : (node.budget ?? {});
        const spent = this.spends.filter((one) => one.kind === kind && holder(one.by, kind) === node.key);
        const reserved = withBudgets.filter(
          (other) => other.budget?.[kind] !== undefined && holder(other.parent, kind) === node.key,
        );
        assert.equal(pot.total[kind], unitsOf(budget)[kind]);
        assert.equal(pot.spent[kind], sum(spent.map((one) => one.units)));
        assert.equal(
          pot.reserved[kind],
          sum(reserved.map((other) => unitsOf(other.budget ?? {})[kind] ?? 0)),
        );
        everything += pot.spent[kind];
        const free = freeOf(pot, kind);
        if (free === undefined) continue;
        assert.equal(pot.total[kind], free + pot.reserved[kind] + pot.spent[kind]);
        if (this.#polite) assert.ok(free >= 0, `${node.key} has ${String(free)} ${kind} free`);
      }
      assert.equal(everything, sum(this.spends.filter((one) => one.kind === kind).map((one) => one.units)));
    }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

test("J8 total = free + reserved + spent at every instant, no matter what the tree does, and nothing spent is lost", () => {
  fc.assert(
    fc.property(budgets, fc.boolean(), commands, (total, polite, all) => {
      const tree = new Imagined(total, polite);
      for (const command of all) {
        tree.obey(command);
        tree.check();
      }
    }),
    { numRuns: 400 },
  );
});

test("J8 the budgets folded from a journal are those that were lived, from any snapshot on", () => {
  const fold = (from: RunState | null, events: readonly RunEvent[], seq: number): RunState =>
    events.reduce<RunState | null>(
      (state, event, index) => evolve(state, event, { run: "r", seq: seq + index + 1, at: 1_000 + index }),
      from,
    ) as RunState;
  fc.assert(
    fc.property(budgets, commands, fc.nat(40), fc.boolean(), (total, all, cut, ends) => {
      const tree = new Imagined(total, false);
      for (const command of all) tree.obey(command);
      const created: RunEvent = {
        type: "BodyCreated",
        data: { body: null, input: null, budget: total, by: "t" },
      };
      const events = [created, ...tree.events];
      const at = 1 + (cut % events.length);
      const before = JSON.parse(JSON.stringify(fold(null, events.slice(0, at), 0))) as RunState;
      const after = fold(before, events.slice(at), at);
      assert.deepEqual(programOf(after)?.budgets, tree.budgets);
      if (!ends) return;
      const over = fold(after, [{ type: "RunCompleted", data: { result: 1 } }], events.length);
      assert.deepEqual(Object.keys(programOf(over)?.budgets ?? {}), [RUN_BUDGET]);
      for (const kind of BUDGET_KINDS) assert.equal(programOf(over)?.budgets[RUN_BUDGET]?.reserved[kind], 0);
    }),
    { numRuns: 200 },
  );
});

test("J8 what the last step spends beyond the budget is a negative free part, and is paid by the scopes around it", () => {
  const budgets: BudgetScopes = { [RUN_BUDGET]: newBudgetScope({ tokens: 1_000, usd: 0.3 }) };
  const key = "spawn:a";
  moveBudgetScopes(budgets, {
    type: "BodySpawned",
    data: { key, input: "", attempt: 1, budget: { tokens: 100, usd: 0.1 } },
  });
  moveBudgetScopes(budgets, {
    type: "BodySpent",
    data: { scope: key, tokens: 130, usd: 0.1, iterations: 0 },
  });
  assert.deepEqual(budgetView(budgets, [key]).free, { tokens: -30, usd: 0 });
  assert.equal(exhaustedIn(budgets, [key], ["tokens"])?.key, key);
  assert.deepEqual(budgetView(budgets, []).free, { tokens: 900, usd: 0.2 });
  moveBudgetScopes(budgets, { type: "BodyChildEnded", data: { key, ended: { kind: "value", value: 1 } } });
  assert.deepEqual(budgetView(budgets, []), {
    total: { tokens: 1_000, usd: 0.3 },
    free: { tokens: 870, usd: 0.2 },
    reserved: { tokens: 0, usd: 0, iterations: 0, timeMs: 0 },
    spent: { tokens: 130, usd: 0.1, iterations: 0, timeMs: 0 },
  });
});
