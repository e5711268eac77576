import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch, stringifySearch } from "../../../web/src/app/search-text.ts";
import { readRunSearch } from "../../../web/src/screens/run/run-search.ts";

test("O2 what is chosen in a run stands in the address, events by their number, and is read from it again", () => {
  const chosen = { attempt: "build#2", seq: 575, from: "c1", to: "c10", type: "RunCreated" };
  const text = stringifySearch(chosen);
  assert.equal(text, "?attempt=build%232&seq=575&from=c1&to=c10&type=RunCreated");
  assert.deepEqual(readRunSearch(parseSearch(text)), chosen);
  assert.equal(stringifySearch({ seq: undefined, q: "" }), "");
});
