import assert from "node:assert/strict";
import { test } from "node:test";
import { localTimes } from "../../../src/cli/print/local-times.ts";
import { Output } from "../../../src/cli/print/output.ts";

const inZone = (zone: string, work: () => void): void => {
  const before = process.env["TZ"];
  process.env["TZ"] = zone;
  try {
    work();
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
};

test("O1 times in people's text are local and name their zone, and can be pasted", () => {
  const text = "until 2026-07-18T15:19:06.123Z, see --at 2026-01-18T23:30:00Z";
  inZone("Europe/Berlin", () => {
    assert.equal(localTimes(text), "until 2026-07-18T17:19:06+02:00, see --at 2026-01-19T00:30:00+01:00");
  });
  inZone("America/St_Johns", () => {
    assert.equal(localTimes("2026-01-18T23:30:00.000Z"), "2026-01-18T20:00:00-03:30");
  });
  inZone("UTC", () => {
    assert.equal(localTimes("at 2026-07-18T15:19:06.123Z"), "at 2026-07-18T15:19:06Z");
  });
});

test("O1 documents keep their times in UTC, and what agents said or files hold stays as it is", () => {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) > 0 };
  inZone("Europe/Berlin", () => {
    const people = new Output({ json: false, stdout: sink, stderr: sink });
    people.line("at 2026-01-18T23:30:00.000Z");
    people.verbatim("at 2026-01-18T23:30:00.000Z");
    new Output({ json: true, stdout: sink, stderr: sink }).record({ at: "2026-01-18T23:30:00.000Z" });
  });
  assert.deepEqual(written, [
    "at 2026-01-19T00:30:00+01:00\n",
    "at 2026-01-18T23:30:00.000Z\n",
    '{"at":"2026-01-18T23:30:00.000Z"}\n',
  ]);
});
