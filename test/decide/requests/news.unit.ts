import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { blockedBy } from "../states.ts";

const settings = runSettingsSchema.parse({
  notify: {
    channels: {
      ops: { use: "command", command: ["true"] },
      late: { use: "command", command: ["true"] },
    },
    external: ["late"],
  },
});

function run(...events: readonly RunEvent[]): RunState {
  const data = { ...EXAMPLES.RunCreated, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunStarted", data: {} }, ...events], 1_000);
  return state;
}

const noticesIn = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, data }) => (type === "NoticeQueued" ? [data] : []));

const cancel: RunEvent = {
  type: "RequestHeard",
  data: { requestId: "req_c", request: { kind: "cancel" }, by: "ann" },
};

const unblock: RunEvent = {
  type: "RequestHeard",
  data: {
    requestId: "req_u",
    request: { kind: "unblock", escalation: "run_1.e1", note: "port 80" },
    by: "ann",
  },
};

const settled = (id: string): RunEvent => ({
  type: "EffectSettled",
  data: { key: `${id}/Notify`, outcome: { kind: "done" } },
});

test("O3 a run that ends notifies each default channel once, and notifies again under another id where it was reopened", () => {
  const state = run(blockedBy({}));
  const ended = noticesIn(takeTurn(state, [cancel], 2_000)).filter(({ notice }) => notice.kind === "ended");
  assert.deepEqual(
    ended.map(({ channel, notice: { title, command } }) => [channel, title, command]),
    [["ops", "run_1 cancelled", "holdfast status run_1"]],
  );
  assert.deepEqual(noticesIn(takeTurn(state, [], 3_000)), []);
  const id = ended[0]?.notice.id ?? "";
  assert.ok(Object.hasOwn(state.effects, `${id}/Notify`), "it is sent although the run has ended");
  takeTurn(state, [settled(id), settled("run_1.e1/ops/resolved")], 4_000);
  assert.deepEqual(state.notices, {});
  takeTurn(state, [{ type: "RunReopened", data: {} }], 5_000);
  const again = { ...cancel, data: { ...cancel.data, requestId: "req_d" } } as RunEvent;
  const [second] = noticesIn(takeTurn(state, [again], 6_000)).filter(({ notice }) => notice.kind === "ended");
  assert.ok(second !== undefined && second.notice.id !== id);
});

test("O3 people who were asked are informed that it is settled, and by whom", () => {
  const state = run(blockedBy({}));
  takeTurn(state, [settled("run_1.e1/ops")], 2_000);
  const [reported, ...others] = noticesIn(takeTurn(state, [unblock], 3_000));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [reported?.notice.id, reported?.notice.kind, reported?.notice.escalation, reported?.notice.text],
    ["run_1.e1/ops/resolved", "resolved", "run_1.e1", "it was answered by ann: port 80"],
  );
  assert.ok(Object.hasOwn(state.effects, "run_1.e1/ops/resolved/Notify"), "and it is sent");
});

test("O3 nobody is informed of the end of a question that never reached them", () => {
  const queued = run(blockedBy({}));
  // Not sent yet, as where the run has no owner.
  for (const key of Object.keys(queued.effects)) Reflect.deleteProperty(queued.effects, key);
  const never = run(blockedBy({}));
  const outcome = { kind: "failed", text: "410", terminal: true } as const;
  takeTurn(never, [{ type: "EffectSettled", data: { key: "run_1.e1/ops/Notify", outcome } }], 2_000);
  for (const state of [queued, never]) {
    const events = takeTurn(state, [unblock], 3_000);
    assert.deepEqual(noticesIn(events), []);
  }
  const underWay = run(blockedBy({}));
  assert.equal(noticesIn(takeTurn(underWay, [unblock], 3_000))[0]?.notice.kind, "resolved");
});
