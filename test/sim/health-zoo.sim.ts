import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { detectionDocument } from "../../scripts/docs/detection-doc.ts";
import { HEALTH_ZOO } from "../../sim/agents/health-zoo.ts";
import { recognise } from "../../sim/checkers/watch-behaviour.ts";
import { Behaving } from "./behaving.ts";

const DAY_MS = 24 * 3_600_000;

for (const behaviour of HEALTH_ZOO) {
  const { name, does, pattern, withinMs } = behaviour;
  if (pattern === null)
    test(`L3 ${name} is left alone for a day: it ${does}`, () => {
      assert.equal(recognise(behaviour, DAY_MS), null);
      const run = new Behaving(behaviour, DAY_MS);
      assert.deepEqual(run.remedies, []);
      assert.deepEqual(run.stuckAs, []);
      assert.ok(run.now >= DAY_MS, "the day was not lived to its end");
    });
  else
    test(`L2 ${name} is recognised as ${pattern} in time: it ${does}`, () => {
      const found = recognise(behaviour, DAY_MS);
      assert.equal(found?.pattern, pattern);
      assert.ok(found.afterMs <= withinMs, `after ${String(found.afterMs)} ms`);
      if (!Behaving.isReceived(behaviour)) return;
      // A live run says the same, and does something about it.
      const run = new Behaving(behaviour, withinMs + 120_000);
      assert.equal(run.stuckAs[0], pattern);
      assert.equal(run.remedies[0], "warn");
    });
}

test("L2 docs/detection.md is what is measured; `npm run docs` writes it", () => {
  const written = readFileSync(join(import.meta.dirname, "..", "..", "docs", "detection.md"), "utf8");
  assert.equal(written, detectionDocument());
});

test("L2 L3 the zoo has at least 24 behaviours, six of them healthy, and every pattern of trouble", () => {
  assert.ok(HEALTH_ZOO.length >= 24);
  assert.ok(HEALTH_ZOO.filter(({ pattern }) => pattern === null).length >= 6);
  assert.equal(new Set(HEALTH_ZOO.map(({ pattern }) => pattern)).size, 10);
});
