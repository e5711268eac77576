import assert from "node:assert/strict";
import { test } from "node:test";
import { timeAhead } from "../../../../src/cli/commands/see/alarms.ts";

const NOON = new Date(2026, 2, 1, 12, 0).getTime();

test("L9 a time of day is the next one here, today or tomorrow", () => {
  assert.equal(timeAhead("12:30", NOON), new Date(2026, 2, 1, 12, 30).getTime());
  assert.equal(timeAhead("7:30", NOON), new Date(2026, 2, 2, 7, 30).getTime());
  assert.equal(timeAhead("12:00", NOON), new Date(2026, 2, 2, 12, 0).getTime());
});

test("L9 P4 a date with a time is taken as it is; what has passed or is no time is refused with what is expected", () => {
  assert.equal(timeAhead("2026-03-02T07:30:00Z", NOON), Date.UTC(2026, 2, 2, 7, 30));
  assert.throws(() => timeAhead("2026-02-01T07:30", NOON), /has passed/);
  for (const text of ["", "tomorrow", "24:00", "7", "1", "2026-13-01T00:00"])
    assert.throws(() => timeAhead(text, NOON), /is no time; expected/);
});
