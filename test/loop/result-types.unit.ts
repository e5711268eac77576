import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowFunction, Run } from "../../src/loop/workflow-function.ts";
import type { Holdfast } from "../../src/loop/holdfast.ts";
import type { Duration } from "../../src/model/text/duration.ts";
import type { Jsonify } from "../../src/model/values/jsonify.ts";

// The compiler is the judge: a line that must not compile says so, and fails the check if it does.
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Compiles only where the value's type is exactly the one that is named. */
const typed =
  <Expected>() =>
  <Actual>(_value: Actual, claim: Same<Actual, Expected>): void => {
    assert.ok(claim);
  };
const holds = <Claim extends true>(claim: Claim): void => {
  assert.ok(claim);
};

class Money {
  readonly amount = 5;
  toJSON(): string {
    return `${String(this.amount)} EUR`;
  }
  plus(): Money {
    return this;
  }
}
class Point {
  readonly x = 1;
  length(): number {
    return this.x;
  }
}
interface Message {
  readonly role: string;
  readonly parts: string[];
}

const results = async (run: Run): Promise<void> => {
  const found = await run.step("s", () => ({
    when: new Date(),
    money: new Money(),
    point: new Point(),
    n: 1,
  }));
  typed<{ when: string; money: string; point: { x: 1 }; n: number }>()(found, true);
  // @ts-expect-error: it was a date in the process that made it; what is read back is its text.
  const when: Date = found.when;
  assert.ok(when);
  typed<[string, { at: string }[]]>()(
    await run.step("t", (): [string, { at: Date }[]] => ["x", [{ at: new Date() }]]),
    true,
  );
  typed<undefined>()(await run.step("u", () => undefined), true);
  const child = () => ({ at: new Date(0) });
  typed<{ at: string }>()(await run.spawn("c", child, null), true);
  typed<{ a: { at: string } }>()(await run.spawnAll({ a: [child, null] }), true);
  holds<Same<Jsonify<{ a: Map<string, number> }>, { a: never }>>(true);
  holds<Same<Jsonify<{ a?: Date; readonly b: "x" | null }>, { a?: string; readonly b: "x" | null }>>(true);
  holds<Same<Jsonify<unknown>, unknown>>(true);
};

const states = async (run: Run): Promise<void> => {
  const end = await run.loop("kernel", { messages: [] as Message[], n: 0 }, (state, i, it) => {
    // @ts-expect-error: the state is frozen.
    state.n = 1;
    // @ts-expect-error: and so are its lists.
    const messages: Message[] = state.messages;
    // @ts-expect-error: and what is in them.
    const parts: string[] = state.messages[0]?.parts ?? [];
    assert.ok(messages.length > 0 || parts.length > 0);
    it.log(String(i));
    return { state: { ...state, messages: [...state.messages, { role: "user", parts: [] }] }, done: true };
  });
  // @ts-expect-error: what it ends with is frozen too.
  end.messages[0] = { role: "user", parts: [] };
  // @ts-expect-error: the state keeps its shape.
  await run.loop("other", { n: 0 }, () => ({ state: { m: 0 }, done: true }));
};

const durations = async (run: Run): Promise<void> => {
  await run.sleep("10m");
  await run.sleep("1.5h");
  await run.sleep(500);
  // @ts-expect-error: there are no fortnights.
  await run.sleep("1fortnight");
  // @ts-expect-error: a unit is needed.
  await run.waitFor("x", { timeout: "24" });
  const named: Duration[] = ["5ms", "1s", "7d"];
  assert.equal(named.length, 3);
};

const inputs = async (hf: Holdfast): Promise<void> => {
  const needs: WorkflowFunction<{ issue: number }, string> = (_, { issue }) => String(issue);
  await hf.run("a", needs, { input: { issue: 7 } });
  // @ts-expect-error: the input is needed.
  await hf.run("b", needs);
  // @ts-expect-error: also beside other options.
  await hf.run("c", needs, { budget: { tokens: 5 } });
  await hf.run("d", (run) => run.now());
  await hf.run("e", (_: Run, input: string | null) => input);
  typed<string>()(await hf.run("f", () => new Date()), true);
};

test("J5 results are typed as they are read back, states as frozen, durations and needed inputs as they are taken", () => {
  for (const checked of [results, states, durations, inputs]) assert.equal(typeof checked, "function");
});
