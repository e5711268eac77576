import assert from "node:assert/strict";
import { test } from "node:test";
import { asJson, asJsonPatch } from "../../../src/loop/scope/json-value.ts";
import { isFault } from "../../../src/model/fault.ts";
import { diffState, freezeDeep } from "../../../src/model/values/state-patch.ts";

const refused = (value: unknown, ...parts: string[]): void => {
  assert.throws(
    () => asJson(value, "the result"),
    (error) => {
      assert.ok(isFault(error, "usage"), String(error));
      for (const part of ["the result cannot be recorded", ...parts])
        assert.ok(error.message.includes(part), `"${part}" is not in: ${error.message}`);
      return true;
    },
  );
};

class Point {
  readonly x = 1;
  readonly y = 2;
  length(): number {
    return Math.hypot(this.x, this.y);
  }
}

test("P4 what JSON would lose in silence is refused, with its place, what was found, and what to do", () => {
  refused(() => 1, "it is a function");
  refused({ tool: { run: () => 1 } }, "tool.run is a function", "return plain data");
  refused({ big: 2n ** 70n }, "big is a bigint", "String(value)");
  refused(Symbol("s"), "it is a symbol");
  refused({ rates: [1, Number.NaN] }, "rates[1] is NaN", "use null");
  refused({ rate: Number.NEGATIVE_INFINITY }, "rate is -Infinity");
  refused([1, undefined], "[1] is undefined", "use null");
  // eslint-disable-next-line no-sparse-arrays
  refused([1, , 3], "[1] is undefined");
  refused({ seen: new Map([["a", 1]]) }, "seen is a Map", "Object.fromEntries");
  refused({ seen: new Set([1]) }, "seen is a Set");
  refused({ bytes: new Uint8Array(4) }, "bytes is a Uint8Array", "base64");
  refused({ error: new TypeError("bad") }, "error is a TypeError", "its message");
  refused({ later: Promise.resolve(1) }, "later is a Promise");
  refused({ pattern: /x/ }, "pattern is a RegExp");
  const circle: { self?: unknown } = {};
  circle.self = { inner: circle };
  refused(circle, "self.inner.self.inner", "circular");
});

test("P4 bytes with a toJSON of their own, invalid dates, keys that are symbols and what hides in special objects are refused", () => {
  refused({ bytes: Buffer.from("x") }, "bytes is a Buffer", "base64");
  refused({ bytes: new Uint8Array(2).buffer }, "bytes is an ArrayBuffer", "base64");
  refused({ when: new Date("never") }, "when is an invalid Date", "use null");
  refused({ inner: { [Symbol("secret")]: 1, a: 2 } }, "inner is an object with the key Symbol(secret)");
  refused({ error: Object.assign(new Error("bad"), { code: "E" }) }, "error is an Error", "its message");
  refused({ seen: Object.assign(new Map([[1, 2]]), { size2: 2 }) }, "seen is a Map");
  const state = freezeDeep({ part: { a: 1 } });
  for (const next of [
    { a: 1, [Symbol("s")]: 2 },
    Object.assign(new Error("bad"), { a: 1 }),
    Buffer.from("x"),
  ])
    assert.throws(
      () => asJsonPatch(diffState(state, { part: next }), "the state"),
      (error) => isFault(error, "usage") && error.message.includes("part is a"),
    );
});

test("P4 what JSON converts is converted as JSON does it", () => {
  const value = {
    when: new Date(0),
    point: new Point(),
    money: { amount: 5, toJSON: () => "5 EUR" },
    absent: undefined,
    zero: -0,
    odd: "\0\ud800 \u2028",
    nested: [[{ deep: null }]],
  };
  const copy = asJson(value, "it");
  assert.deepEqual(copy, JSON.parse(JSON.stringify(value)));
  assert.ok(Object.is(copy.zero, 0));
  assert.ok(!Object.hasOwn(copy, "absent"));
  assert.equal(asJson(undefined, "it"), undefined);
  const proto = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
  assert.deepEqual(JSON.stringify(asJson(proto, "it")), JSON.stringify(proto));
  assert.equal(Object.getPrototypeOf(asJson(proto, "it")), Object.prototype);
  class Loops {
    toJSON(): this {
      return this;
    }
    readonly n = 1;
  }
  assert.deepEqual(asJson(new Loops(), "it"), { n: 1 });
});

test("P4 in a loop's state the place is named as it stands in the state, not in what is recorded of it", () => {
  const before = freezeDeep({ messages: [{ role: "user" }, { role: "tool" }], deep: { a: 1 } }) as {
    messages: object[];
  };
  const place = (next: unknown, part: string): void => {
    assert.throws(
      () => asJsonPatch(diffState(before, next), "the state"),
      (error) => isFault(error, "usage") && error.message.includes(part),
    );
  };
  place({ ...before, messages: [...before.messages, { at: () => 1 }] }, "messages[2].at is a function");
  place({ ...before, messages: [{ role: Number.NaN }, before.messages[1]] }, "messages[0].role is NaN");
  place({ ...before, deep: new Map() }, "deep is a Map");
  place(undefined, "it is undefined");
  place({ ...before, messages: [undefined, before.messages[1]] }, "messages[0] is undefined");
});
