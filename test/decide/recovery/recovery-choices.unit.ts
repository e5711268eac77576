import assert from "node:assert/strict";
import { test } from "node:test";
import { doesOf, recoveryChoices } from "../../../src/decide/recovery/recovery-choices.ts";
import { BLOCKED_REASONS } from "../../../src/model/requests/blocked.ts";
import { blockedBy, given } from "../states.ts";

test("G3 a run that is blocked can be cancelled, regardless of the reason, and the choice says what that does", () => {
  for (const reason of BLOCKED_REASONS) {
    const state = given({ type: "RunStarted", data: {} }, blockedBy({ reason }));
    assert.ok(state.blocked !== null);
    const last = recoveryChoices(state, state.blocked).at(-1);
    assert.deepEqual(
      last,
      { words: ["cancel", state.run], does: "ends the run; what was done is kept" },
      reason,
    );
  }
});

test("G3 where the folder of a run is gone, the choice says what is made again and how the run continues", () => {
  const does =
    "makes the folder again with the files of the last checkpoint; the run is paused then, and `resume` continues it";
  assert.equal(doesOf(["restore", "run_1"]), does);
  assert.notEqual(doesOf(["restore", "run_1", "--repository"]), does);
});

test("G3 where a program asks something else than it did, the choice says where the new run begins", () => {
  assert.equal(doesOf(["fork", "run_1", "--at", "7"]), "continues in a new run from before the difference");
});
