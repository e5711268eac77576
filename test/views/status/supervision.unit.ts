import assert from "node:assert/strict";
import { test } from "node:test";
import { RUN_STATUSES } from "../../../src/model/state/run-status.ts";
import type { SeenOwner, Supervision } from "../../../src/model/host/supervision.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { supervisionOf, withSupervision, type Looked } from "../../../src/views/status/supervision.ts";
import { given, IN_STATE } from "../../decide/states.ts";

const HOUR = 3_600_000;
const one: SeenOwner = { host: "alpha", pid: 7, startedAt: 1_000, beatAgeMs: 4_000 };
const NOBODY: Supervision = { owner: null, lost: null, watcher: null };
const looked = (seen: Partial<Supervision>): Looked => ({
  seen: { ...NOBODY, ...seen },
  now: 60_000,
  stayForMs: 48 * HOUR,
  store: null,
});

test("B6 no state of a run that nobody supervises is shown as healthy, and one that works is unknown with what was last known", () => {
  for (const status of RUN_STATUSES) {
    const state = given(...IN_STATE[status]);
    const { health, owner } = withSupervision(statusView(state, null), state, looked({}));
    assert.equal(owner, null);
    if (status === "running") {
      assert.deepEqual([health.state, health.lastKnown?.state], ["unknown", "healthy"]);
      assert.match(health.evidence[0] ?? "", /^last known: healthy, \d+ s ago$/);
    } else if (status !== "completed" && status !== "cancelled")
      assert.notEqual(health.state, "healthy", status);
  }
});

test("B6 status names the owner by host, since when, and the age of its last sign of life", () => {
  const state = given(...IN_STATE.running);
  const seen = looked({ owner: { ...one, epoch: state.epoch } });
  const view = withSupervision(statusView(state, null), state, seen);
  assert.deepEqual([view.owner?.host, view.owner?.pid, view.owner?.beatAgeMs], ["alpha", 7, 4_000]);
  assert.equal(view.supervision?.text, "supervised by pid 7 on alpha, last sign of life 4 s ago");
  assert.equal(view.health.state, "healthy");
});

test("B5 B6 a run without an owner says who will act on its deadline, or that nobody will, with the command for it", () => {
  const due = (at: number) => ({
    run: "r",
    status: "blocked" as const,
    due: { at, what: "the reminder about r.e1" },
  });
  const watched = supervisionOf(due(HOUR), looked({ watcher: one }));
  assert.equal(
    watched?.text,
    "the supervisor pid 7 on alpha watches it; due: the reminder about r.e1 (1970-01-01T01:00:00.000Z)",
  );
  const none = supervisionOf(due(HOUR), looked({ lost: one }));
  assert.equal(
    none?.text,
    "not supervised (pid 7 on alpha is gone, last sign of life 4 s ago); due: the reminder about r.e1 (1970-01-01T01:00:00.000Z)",
  );
  assert.equal(none.command, "holdfast up --detach");
  assert.equal(
    supervisionOf(due(72 * HOUR), looked({}))?.command,
    "holdfast up --install",
    "it would not stay so long",
  );
  const idle = supervisionOf({ ...due(HOUR), due: null }, looked({}));
  assert.deepEqual([idle?.state, idle?.command], ["none", null]);
  assert.equal(supervisionOf({ run: "r", status: "completed", due: null }, looked({})), null);
  const body = supervisionOf(
    { run: "r", status: "running", due: null, body: "triage" },
    looked({ watcher: one }),
  );
  assert.match(body?.text ?? "", /its program opens this store and calls hf\.run\("r"/);
});
