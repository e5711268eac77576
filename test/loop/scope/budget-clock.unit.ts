import assert from "node:assert/strict";
import { test } from "node:test";
import { newBudgetScope } from "../../../src/model/requests/budget.ts";
import { BudgetClock } from "../../../src/loop/scope/budget-clock.ts";

test("J8 G10 the clock of a budget scope stands while all that happens is waiting, and runs while anything is worked", () => {
  let now = 1_000;
  const clock = new BudgetClock({ now: () => now }, { "": newBudgetScope({}) });
  const pass = (ms: number): number => {
    now += ms;
    return clock.running("");
  };
  clock.start("");
  assert.equal(pass(10), 10, "code of the body counts");
  const endWait = clock.hold([]);
  assert.equal(pass(500), 10, "a wait does not");
  const endStep = clock.busy([]);
  assert.equal(pass(20), 30, "a step beside a wait does");
  const endOther = clock.hold([]);
  endWait();
  endWait();
  endStep();
  assert.equal(pass(500), 30, "ending twice ends once: the other wait is still there");
  assert.equal(clock.take(""), 30);
  assert.equal(pass(500), 0);
  endOther();
  assert.equal(pass(5), 5);
  now -= 100;
  assert.equal(clock.running(""), 0, "a clock that is set back takes nothing away");
});
