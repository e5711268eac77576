import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { BRAKE_CELLS } from "./brake-cells.ts";
import { brakeDocument } from "./brake-document.ts";
import { keyOf, readKept, type KeptCell } from "./kept-cells.ts";

test("B1 the page of brakes lists what was played last with real agents", () => {
  const page = path.resolve(import.meta.dirname, "../../../docs/brakes-with-agents.md");
  assert.equal(readFileSync(page, "utf8"), brakeDocument(readKept()), "run `npm run docs`");
});

test("B1 the page of brakes names cells that failed, that were not played, and that cannot be", () => {
  const cell = BRAKE_CELLS.find(({ notPossible }) => notPossible === false);
  assert.ok(cell !== undefined);
  const { table, agent, name } = cell;
  const seen = { did: "it ran on", sandbox: "", passed: false, seconds: 7, failures: 1, commit: "0123abcd" };
  const failed: KeptCell = { table, agent, name, ...seen };
  const text = brakeDocument(new Map([[keyOf(cell), failed]]));
  assert.match(text, /1 of \d+ cells played \(1 on `0123abcd`\), 0 passed/);
  assert.ok(text.includes(`| ${agent} | ${name} | **did not pass**: it ran on |  | \`0123abcd\` | 7 |`));
  assert.match(text, /\| \*\*not played\*\* \|/);
  const cannot = BRAKE_CELLS.filter(({ notPossible }) => notPossible !== false);
  assert.equal(text.split("## Cells that cannot be")[1]?.match(/^- /gm)?.length, cannot.length);
});
