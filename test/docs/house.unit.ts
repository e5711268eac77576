import assert from "node:assert/strict";
import { test } from "node:test";
import { filesPerFolder, quantile, shapeOf, shapesIn } from "../../scripts/house/house.ts";

const FILE_LINES_P90 = 170;
const FUNCTION_LINES_P90 = 20;
const FILES_IN_FOLDER_MAX = 25;

const shapes = [...shapesIn("src").values()];

test("nine files of ten in src have at most 170 lines, and nine functions of ten at most 20", () => {
  const lines = quantile(
    shapes.map((shape) => shape.lines),
    0.9,
  );
  assert.ok(lines <= FILE_LINES_P90, String(lines));
  // Functions of one line would only flatter.
  const functions = shapes.flatMap((shape) => shape.functions).filter((length) => length > 1);
  const p90 = quantile(functions, 0.9);
  assert.ok(p90 <= FUNCTION_LINES_P90, String(p90));
});

test("no folder of code, of tests or of scripts holds more than 25 files", () => {
  const full = [...filesPerFolder()].filter(([, count]) => count > FILES_IN_FOLDER_MAX);
  assert.deepEqual(full, []);
});

test("statements are counted as the compiler's parser sees them, and functions by their lines", () => {
  const text = "const a = 1;\nfunction f() {\n  if (a) {\n    return 1;\n  }\n  return 2;\n}\n";
  assert.deepEqual(shapeOf(text), { statements: 5, lines: 7, functions: [6] });
});
