import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowFunction, Run, Settled } from "../../../src/loop/workflow-function.ts";

// The compiler is the judge: a line that must not compile says so, and fails the check if it does.
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Compiles only where the value's type is exactly the one that is named. */
const typed =
  <Expected>() =>
  <Actual>(_value: Actual, claim: Same<Actual, Expected>): void => {
    assert.ok(claim);
  };

const length: WorkflowFunction<string, number> = (_, text) => text.length;
const half = async (_run: Run, n: number): Promise<{ half: number }> => Promise.resolve({ half: n / 2 });

const types = async (run: Run): Promise<void> => {
  const one = await run.spawn("one", half, 4);
  typed<{ half: number }>()(one, true);
  // @ts-expect-error: the input is a number.
  await run.spawn("two", half, "4");

  const named = await run.spawnAll({
    a: [length, "x"],
    b: [half, 1, { restarts: 1, budget: { tokens: 5 } }],
  });
  typed<{ a: number; b: { half: number } }>()(named, true);
  // @ts-expect-error: the input of a is a text.
  await run.spawnAll({ a: [length, 1] });
  // @ts-expect-error: there is no such option.
  await run.spawnAll({ a: [length, "x", { restart: 1 }] });

  const list = await run.spawnAll([1, 2].map((n) => ({ name: `c${String(n)}`, child: half, input: n })));
  typed<{ half: number }[]>()(list, true);
  // @ts-expect-error: the input is a number.
  await run.spawnAll(["1"].map((n) => ({ name: n, child: half, input: n })));

  const settled = await run.spawnAll({ a: [length, "x"] }, { onFailure: "collect" });
  typed<{ a: Settled<number> }>()(settled, true);
  // @ts-expect-error: there is no such policy.
  await run.spawnAll({ a: [length, "x"] }, { onFailure: "ignore" });
  if (settled.a.error === undefined) typed<number>()(settled.a.value, true);
  const inline = await run.spawnAll({ c: [(inner, text: string) => inner.step("s", () => text), "t"] });
  typed<{ c: string }>()(inline, true);
};

test("J5 inputs and results of children, alone and in groups, are typed end to end", () => {
  assert.equal(typeof types, "function");
});
