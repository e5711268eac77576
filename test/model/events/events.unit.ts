import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventsDocument } from "../../../scripts/docs/events-doc.ts";
import { decodeEvent, encodeEventData, upcast } from "../../../src/model/events/event-codec.ts";
import { EVENT_TYPES, type RunEvent } from "../../../src/model/events/events.ts";
import { isFault } from "../../../src/model/fault.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { EXAMPLES } from "../example-events.ts";

test("J1 every event type is encoded, decoded, folded into words and documented", () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), [...EVENT_TYPES].sort());
  for (const type of EVENT_TYPES) {
    const event = { type, data: EXAMPLES[type] } as RunEvent;
    const back = decodeEvent(type, encodeEventData(event));
    assert.deepEqual(back, event, `${type} does not survive a round trip`);
    assert.ok(describeEvent({ ...event, run: "run_x", seq: 1, at: 0, hash: "" }).length > 0);
  }
});

test("J9 docs/events.md is what the registry says; `npm run docs` writes it", () => {
  const written = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "events.md"), "utf8");
  assert.equal(written, eventsDocument());
});

test("J9 an old event type is read as its successor, over several generations", () => {
  const upcasters = {
    Older: (data: unknown) => ({ type: "Old", data: { ...(data as object), b: 2 } }),
    Old: (data: unknown) => ({ type: "New", data: { ...(data as object), c: 3 } }),
  };
  assert.deepEqual(upcast({ type: "Older", data: { a: 1 } }, upcasters), {
    type: "New",
    data: { a: 1, b: 2, c: 3 },
  });
  const circle = { A: () => ({ type: "B", data: 0 }), B: () => ({ type: "A", data: 0 }) };
  assert.throws(() => upcast({ type: "A", data: 0 }, circle), /do not come to an end/);
});

test("P4 an event of an unknown type or shape is refused by name, never guessed", () => {
  assert.throws(
    () => decodeEvent("RunTeleported", "{}"),
    (error) => isFault(error, "event_unknown") && error.message.includes("RunTeleported"),
  );
  assert.throws(
    () => decodeEvent("RunPaused", '{"stop":"whim"}'),
    (error) => isFault(error, "event_unknown") && error.message.includes("stop"),
  );
  assert.throws(
    () => decodeEvent("RunPaused", "{"),
    (error) => isFault(error, "journal_damaged"),
  );
});
