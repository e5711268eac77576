import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

const LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Looks again and again until it holds. */
export async function untilTrue(look: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + LIMIT_MS; !(await look()); await delay(LOOK_EVERY_MS))
    assert.ok(Date.now() < until, "it did not come to hold in time");
}
