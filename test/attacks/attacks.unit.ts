import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { tried, type Attack, type Outcome } from "./attack.ts";
import { tableOf, tableText } from "./attack-table.ts";
import { attacksDocument } from "./attacks-document.ts";
import { broken, findAttacks } from "./run-attack.ts";
import { titlesOf } from "./threat-titles.ts";
import { HELD_BY_TESTS, THREATS } from "./threats.ts";

const attack = (more: Partial<Attack> = {}): Attack => ({
  ...{ threat: "T7", title: "a title", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
  run: async () => tried(1),
  ...more,
});

test("P4 an attack that succeeds where prevention is promised is broken, recorded or not", () => {
  assert.deepEqual(broken(attack(), tried(3)), []);
  assert.deepEqual(broken(attack(), tried(3, ["it ran"], 1)), ["it ran"]);
  assert.deepEqual(broken(attack(), tried(0)), ["nothing was tried"]);
});

test("P4 an attack that succeeds where detection is promised is broken unless it was recorded", () => {
  const detected = attack({ promised: "detected" });
  assert.deepEqual(broken(detected, tried(3, ["it ran"], 1)), []);
  assert.deepEqual(broken(detected, tried(3, ["it ran"], 0)), ["1 not recorded", "it ran"]);
});

test("P4 the table counts per threat, level and promise, and shows what was skipped, not yet there, or broken", () => {
  const outcomes: Outcome[] = [
    tried(2),
    tried(3, ["it ran"]),
    { kind: "skipped", reason: "no tmux" },
    { kind: "not yet", reason: "no sandbox" },
  ];
  const results = outcomes.map((outcome) => ({ attack: attack(), outcome }));
  const failed = { kind: "error" as const, text: "stage" };
  const [other, row] = tableOf([...results, { attack: attack({ threat: "T5" }), outcome: failed }]);
  assert.deepEqual(other?.broken, ["a title: could not be carried out: stage"]);
  assert.ok(row !== undefined);
  assert.deepEqual(
    [row.tried, row.succeeded, row.skipped, row.notYet, row.broken.length],
    [5, 1, ["a title: no tmux"], ["a title: no sandbox"], 1],
  );
  assert.match(tableText([row]), /SKIPPED .* no tmux\nNOT YET .* no sandbox\nBROKEN .* it ran/);
});

test("P4 every attack is found by its file, and bounded", async () => {
  const attacks = await findAttacks();
  assert.ok(attacks.length > 0);
  for (const { count, title } of attacks) assert.ok(count.short <= count.full && count.full > 0, title);
});

test("P4 the page of attacks lists what is scripted, promised and recorded now", async () => {
  const page = path.join(import.meta.dirname, "..", "..", "docs", "attacks.md");
  const written = readFileSync(page, "utf8");
  assert.equal(written, await attacksDocument(), "run `npm run docs`");
});

test("P4 every threat has an attack that is carried out", async () => {
  const scripted = new Set((await findAttacks(isNotYet)).map(({ threat }) => threat));
  const missing = THREATS.filter(({ id }) => !scripted.has(id)).map(({ id }) => id);
  assert.deepEqual(missing, []);
});

test("P4 every threat without an attack is named by a test", () => {
  const missing = HELD_BY_TESTS.filter(({ id }) => titlesOf(id).length === 0).map(({ id }) => id);
  assert.deepEqual(missing, []);
  const both = HELD_BY_TESTS.filter(({ id }) => THREATS.some((threat) => threat.id === id));
  assert.deepEqual(both, []);
});

const isNotYet = (name: string): boolean => name.startsWith("not-yet");
