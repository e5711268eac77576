import type { Recipe } from "./recipe.ts";

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRequests } from "../../../src/decide/decide.ts";
import { RECOVERIES } from "../../../src/decide/recovery/recovery.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { asked } from "../budgeted-run.ts";
import { blockedBy, given, IN_STATE } from "../states.ts";

test("G3 a run that waits for the weather goes on after the printed command", () => {
  assert.deepEqual(RECOVERIES.weather.command, ["retry", "RUN"]);
  const state = given(...IN_STATE.running, blockedBy({ reason: "weather" }));
  const events = takeTurn(state, [asked({ kind: "retry" })], 10_000, decideRequests).map(({ type }) => type);
  assert.ok(events.includes("RunUnblocked"), events.join(", "));
});
`;

export const blockedReason: Recipe = {
  heading: "Add a blocked reason",
  steps: [
    (copy) => copy.before("src/model/requests/blocked.ts", '  "unknown",', '  "weather",\n'),
    (copy) => {
      copy.before(
        "src/decide/recovery/recovery.ts",
        "  needs_human: {",
        '  weather: { owner: "human", command: RETRY, advice: "wait for the sun, then try again" },\n',
      );
      copy.before("src/decide/dispatch/stop-kind.ts", "  unknown:", "  weather: null,\n");
    },
    (copy) => {
      copy.run("npm", "run", "fold-version");
      copy.run("node", "scripts/docs/recovery-doc.ts");
      copy.write("test/decide/recovery/weather.unit.ts", TEST);
    },
  ],
  asked: ["src/decide/recovery/recovery.ts", "src/decide/dispatch/stop-kind.ts"],
  tests: [
    "test/decide/state-documents.unit.ts",
    "test/registries/tables.unit.ts",
    "test/decide/recovery/weather.unit.ts",
  ],
};
