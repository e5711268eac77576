import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../src/agents/to-signal.ts";
import { decodeEvent } from "../../src/model/events/event-codec.ts";
import { isFault } from "../../src/model/fault.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { isName } from "../../src/model/ids.ts";
import { EXAMPLES } from "./example-events.ts";

const MEMBERS = Object.getOwnPropertyNames(Object.prototype);

test("P4 a step, an agent or a role cannot be called as a member that every object has", () => {
  for (const name of MEMBERS) {
    assert.equal(isName(name), false, name);
    const flow = flowSchema.safeParse({ name: "f", steps: [{ name, goal: "g" }] });
    assert.match(JSON.stringify(flow.error?.issues), /cannot be an id|begins with a letter/, name);
  }
  assert.ok(["construct", "to-string", "value"].every(isName));
});

test("J9 P4 an event that names a member which every object has is refused by name, and changes no object", () => {
  for (const attempt of MEMBERS)
    assert.throws(
      () => decodeEvent("AttemptStarted", JSON.stringify({ ...EXAMPLES.AttemptStarted, attempt })),
      (error: unknown) => isFault(error, "event_unknown") && error.message.includes("attempt"),
    );
});

test("P4 what an agent says under the name of such a member is kept as unknown words", () => {
  for (const askId of MEMBERS) assert.equal(toSignal({ kind: "answered", askId }).kind, "unknown", askId);
  assert.equal(toSignal({ kind: "answered", askId: "7" }).kind, "answered");
});
