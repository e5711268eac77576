import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import { differencesOf, factsIn } from "../../../src/views/report/compare-events.ts";

const at = (run: string, event: RunEvent, place = 1): Recorded => ({
  ...event,
  run,
  seq: place,
  at: 1_000 * place,
  hash: `${run}${String(place)}`.padEnd(64, "0"),
});

const said = (detail: string): RunEvent => ({ type: "LimitReached", data: { what: "w", bound: 1, detail } });

test("J9 ids, owners, epochs, times, processes and a run's own name do not count as differences", () => {
  const pairs: [RunEvent, RunEvent][] = [
    [
      { type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody" } },
      { type: "RunClaimed", data: { owner: "own_2", epoch: 9, from: "nobody" } },
    ],
    [
      { type: "StepRetryScheduled", data: { step: "s", notBefore: 1 } },
      { type: "StepRetryScheduled", data: { step: "s", notBefore: 2 } },
    ],
    [said("a.work.1 in process 12"), said("b-1.work.1 in process 13")],
    [said("asked by req_01m7fe23bvenv4wmr6s2"), said("asked by req_01m7fe23bvenv4wmr6s3")],
    [said("since 2026-11-15T10:00:00.000Z"), said("since 2026-11-16T11:00:00Z")],
  ];
  for (const [a, b] of pairs) assert.deepEqual(differencesOf(at("a", a), at("b-1", b, 7)), []);
});

test("J9 what differs is named by its path, with both values; a name within another word is left alone", () => {
  const [a, b] = [at("a", said("a cat")), at("b", said("b cbt"))];
  assert.deepEqual(differencesOf(a, b), [{ path: "data.detail", a: "RUN cat", b: "RUN cbt" }]);
  const [other] = differencesOf(a, at("b", { type: "RunStarted", data: {} }));
  assert.deepEqual(other, { path: "type", a: "LimitReached", b: "RunStarted" });
  const result = (value: unknown): Recorded => at("a", { type: "RunCompleted", data: { result: value } });
  assert.deepEqual(differencesOf(result({ x: [1, 2] }), result({ x: [1, 3, 4] })), [
    { path: "data.result.x.1", a: 2, b: 3 },
    { path: "data.result.x.2", a: undefined, b: 4 },
  ]);
  assert.equal(differencesOf(result([]), result({})).length, 1);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${String(index)}`, index]));
  assert.equal(differencesOf(result(many), result({})).length, 20);
});

test("J9 it does not matter in how many breaths an agent spoke", () => {
  const received = (texts: string[]): Recorded =>
    at("a", {
      type: "SignalsHeard",
      data: { attempt: "s#1", cursor: "1", signals: texts.map((text) => ({ kind: "unknown", text })) },
    });
  const inTwo = [...factsIn(received(["one"])), ...factsIn(received(["two", "three"]))];
  const inOne = factsIn(received(["one", "two", "three"]));
  assert.equal(inTwo.length, inOne.length);
  inOne.forEach((fact, index) => assert.deepEqual(differencesOf(fact, inTwo[index] ?? fact), []));
});
