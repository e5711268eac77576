import assert from "node:assert/strict";
import { test } from "node:test";

interface Result {
  title: string;
  status: "passed" | "skipped";
}

interface Features {
  compareWithDocument: (
    results: readonly Result[],
    text: string,
    declaredRows: () => ReadonlySet<string>,
  ) => { problems: string[]; warnings: string[] };
  rowsInText: (source: string) => string[];
}

const { href } = new URL("../../scripts/docs/features.mjs", import.meta.url);
const { compareWithDocument, rowsInText } = (await import(href)) as Features;

const DOCUMENT =
  "| J1 | the journal | holds<br>is gapless |\n| A8 | typing | types |\n| A9 | asking | asks |\n";
const passed = (title: string): Result => ({ title, status: "passed" });
const none = () => new Set<string>();

test("a row that has lost its last test is a false claim, and the only problem", () => {
  const { problems } = compareWithDocument([passed("J1 holds"), passed("A8 types")], DOCUMENT, none);
  assert.deepEqual(problems, ["docs/features.md calls A9 proved, and no test carries it"]);
});

test("a title that was renamed, skipped or sampled away is a warning, not a problem", () => {
  const results = [passed("J1 A9 renamed"), { title: "A8 types", status: "skipped" as const }];
  const { problems, warnings } = compareWithDocument(results, DOCUMENT, none);
  assert.deepEqual(problems, []);
  assert.deepEqual(warnings, [
    "docs/features.md has what no test of this run shows: run `npm run docs` (“J1 holds”; “J1 is gapless”; “A9 asks”)",
    "docs/features.md lacks what tests show: run `npm run docs` (“J1 renamed”; “A9 renamed”)",
  ]);
});

test("a row whose every title has its turn on another day is carried by the sources", () => {
  const source = `for (const state of ofTheDay(STATES, 4)) test(\`A8 A9 ${"${state}"} is left\`, () => leave(state));`;
  assert.deepEqual(rowsInText(source), ["A8", "A9"]);
  const declared = () => new Set(rowsInText(source));
  assert.deepEqual(compareWithDocument([passed("J1 holds")], DOCUMENT, declared).problems, []);
});
