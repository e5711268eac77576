import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../src/fold/evolve.ts";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import { readSnapshot } from "../../src/fold/read-snapshot.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { EXAMPLES } from "../model/example-events.ts";

const created = (event: RunEvent) => evolve(null, event, { run: "r", seq: 1, at: 5 });
const supervised = () => created({ type: "RunCreated", data: EXAMPLES.RunCreated });
const ofProgram = () => created({ type: "BodyCreated", data: EXAMPLES.BodyCreated });

test("J3 a run is supervised or of a program, and only that of a program knows what a program asked for", () => {
  assert.equal(supervised().kind, "supervised");
  assert.ok(!("program" in supervised()));
  const state = ofProgram();
  assert.ok(state.kind === "program");
  assert.equal(state.program.name, EXAMPLES.BodyCreated.body);
});

test("J3 a snapshot whose kind and content contradict each other is not read", () => {
  const read = (state: object) =>
    readSnapshot("r", { seq: 1, fold: FOLD_VERSION, state: JSON.stringify(state) });
  for (const state of [supervised(), ofProgram()]) assert.deepEqual(read(state), state);
  assert.equal(read({ ...ofProgram(), kind: "supervised" }), null);
  assert.equal(read({ ...supervised(), kind: "program" }), null);
  assert.equal(read({ ...supervised(), kind: undefined }), null);
});
