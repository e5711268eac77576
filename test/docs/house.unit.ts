import assert from "node:assert/strict";
import { test } from "node:test";
import { filesPerFolder, quantile, shapesIn } from "../../scripts/house/house.ts";
import { accountFor, nameAdded } from "../../scripts/house/same-features.ts";
import { shapeOf } from "../../scripts/house/shape.ts";

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

test("a commit brings a feature by the first name of its diff that users see and that it does not only move", () => {
  const diff = (...rows: string[]): string => rows.join("\n");
  assert.equal(nameAdded(diff("+++ b/src/a.ts", '+    .command("wave <RUN>")')), "command wave");
  assert.equal(nameAdded('+    .option("-n, --name <NAME>", "its name")'), "option --name");
  assert.equal(nameAdded('+  listRuns: ["GET", "/runs/{run}"],'), "route GET /runs/{run}");
  assert.equal(nameAdded('+  RunPainted: event("A colour.", () => z.object({})),'), "event RunPainted");
  assert.equal(nameAdded(diff('-    .command("wave")', '+  .command("wave")')), null);
  assert.equal(nameAdded('+  git(["status", "--porcelain"]);'), null);
});

test("statements are counted with the same features: without features, their files, and what only moved", () => {
  const feature = {
    feature: "command wave",
    files: [
      { from: null, to: "wave/wave.ts", statements: 100 },
      { from: "old.ts", to: "old.ts", statements: 7 },
    ],
  };
  const repair = {
    feature: null,
    files: [
      { from: "wave/wave.ts", to: "hello/wave.ts", statements: 5 },
      { from: "old.ts", to: "older.ts", statements: 3 },
      { from: null, to: "tidy/new.ts", statements: 2 },
      { from: null, to: "hello/deep/new.ts", statements: 4 },
    ],
  };
  const move = {
    feature: null,
    files: [
      { from: "older.ts", to: "older.ts", statements: -30 },
      { from: "hello/wave.ts", to: "hello/wave.ts", statements: 20 },
    ],
  };
  const account = accountFor(["old.ts", "tidy/a.ts"], [feature, repair, move]);
  assert.deepEqual(account, { same: -5, featureFiles: 9, featureInOld: 7, featureInNew: 100 });
  // Nothing is lost: the accounts, and what moved, are all changes.
  assert.equal(account.same + account.featureFiles + account.featureInOld + account.featureInNew, 111);
});
