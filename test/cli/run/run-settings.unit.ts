import assert from "node:assert/strict";
import { test } from "node:test";
import { settingRequests } from "../../../src/cli/run/run-settings.ts";
import { isFault } from "../../../src/model/fault.ts";

const usage = (words: string[], part: RegExp): void => {
  assert.throws(
    () => settingRequests(words),
    (error: unknown) => isFault(error, "usage") && part.test(error.message),
  );
};

test("J8 settings of a budget become one request", () => {
  assert.deepEqual(
    settingRequests(["budget.usd=40.5", "budget.tokens=2000", "budget.iterations=9", "budget.time=8h"]),
    [{ kind: "budget", budget: { usd: 40.5, tokens: 2_000, iterations: 9, timeMs: 28_800_000 } }],
  );
});

test("P4 a setting that is unknown, has no value or no number is a clear error", () => {
  usage(["budget.token=1"], /"budget\.token" cannot be set; did you mean budget\.tokens\?/);
  usage(["budget.usd"], /has no value; expected budget\.usd=VALUE/);
  usage(["budget.usd=-1"], /budget\.usd=-1: expected a number above 0/);
  usage(["budget.usd=NaN"], /expected a number above 0/);
  usage(["budget.usd="], /expected a number above 0/);
  usage(["budget.tokens=1.5"], /expected a whole number above 0/);
  usage(["budget.time=soon"], /no duration/);
  usage(["toString=1"], /cannot be set/);
});
