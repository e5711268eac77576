import assert from "node:assert/strict";
import { test } from "node:test";
import { liveThrough } from "./mailed-lives.ts";

/** `npm run chaos:mail` lives through as many as one likes. */
const SEEDS = 150;

test("J6 no matter who speaks to a random workflow function, and however often it dies, each word and each signal counts once", async () => {
  let deaths = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) deaths += await liveThrough(seed);
  assert.ok(deaths > SEEDS, `only ${String(deaths)} deaths`);
});
