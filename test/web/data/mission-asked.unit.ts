import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOrder } from "../../../web/src/data/command-order.ts";

const asked = (command: string): unknown => {
  const order = commandOrder(command, null);
  return order === null ? null : [order.route, order.input];
};
const ask = (mission: string, body: object): unknown => ["askMission", { params: { mission }, body }];

test("O2 G15 the commands that a mission prints become its requests, and what a person must see first does not", () => {
  const place = "--store sqlite:/tmp/a.db";
  assert.deepEqual(
    asked(`holdfast mission launch shop --workstream page --retry ${place}`),
    ask("shop", { kind: "launch", workstream: "page", retry: true }),
  );
  assert.deepEqual(
    asked("holdfast mission pass reviewed --mission shop"),
    ask("shop", { kind: "pass", barrier: "reviewed" }),
  );
  assert.deepEqual(
    asked("holdfast mission skip page --mission shop"),
    ask("shop", { kind: "skip", workstream: "page" }),
  );
  for (const kind of ["pause", "resume", "stop", "reconcile"])
    assert.deepEqual(asked(`holdfast mission ${kind} shop`), ask("shop", { kind }));
  assert.deepEqual(asked("holdfast mission resume"), ask("-", { kind: "resume" }));
  assert.deepEqual(
    asked("holdfast mission autopilot shop --auto-retry --max-retries 3 --continue-on-failure"),
    ask("shop", {
      kind: "autopilot",
      ...{ autoRetry: true, continueOnFailure: true, maxRetries: 3, maxMissionRetries: undefined },
    }),
  );
  assert.deepEqual(
    asked("holdfast mission approve shop --digest 60405c"),
    ask("shop", { kind: "approve", digest: "60405c" }),
  );
  for (const command of [
    "holdfast mission approve shop",
    "holdfast mission diff shop",
    "holdfast mission status shop",
    "holdfast mission launch shop",
    "git -C /srv/web switch main",
  ])
    assert.equal(asked(command), null, command);
});
