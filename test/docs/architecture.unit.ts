import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { picturesDocument } from "../../scripts/docs/pictures-doc.ts";
import { sourceFiles, sourceText } from "../source-files.ts";

const REPOSITORY = path.resolve(import.meta.dirname, "..", "..");
const HOPS_MAX = 12;

const read = sourceText;
const page = read("ARCHITECTURE.md");

interface Hop {
  readonly file: string;
  readonly text: string;
}

/** The numbered lists of the page whose items begin with a source file. */
function walksOf(text: string): Hop[][] {
  const walks: Hop[][] = [];
  for (const [, number, file, says] of text.matchAll(/^(\d+)\. `(src\/[^`]+)`: (.*)$/gm)) {
    if (number === "1") walks.push([]);
    walks.at(-1)?.push({ file: file ?? "", text: says ?? "" });
  }
  return walks;
}

function imports(from: string, to: string): boolean {
  const specifiers = [...read(from).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(
    ([, found]) => found ?? "",
  );
  return specifiers.some((found) => path.posix.join(path.posix.dirname(from), found) === to);
}

test("each walk of ARCHITECTURE.md leads through files that exist and know each other, in at most 12 hops", () => {
  const walks = walksOf(page);
  assert.equal(walks.length, 2);
  for (const walk of walks) {
    assert.ok(walk.length <= HOPS_MAX, String(walk.length));
    walk.forEach(({ file }, at) => {
      assert.ok(existsSync(path.join(REPOSITORY, file)), file);
      const before = walk.slice(0, at);
      // What is handed over by a file on disk needs no import.
      const known =
        at === 0 ||
        /on disk\.$/.test(before.at(-1)?.text ?? "") ||
        before.some((hop) => imports(hop.file, file) || imports(file, hop.file));
      assert.ok(known, `nothing on the way to ${file} knows it`);
    });
  }
});

test("each numbered invariant of ARCHITECTURE.md is cited where it is upheld, and no other number is", () => {
  const listed = [...page.matchAll(/^- \*\*(I\d+) /gm)].map(([, name]) => name ?? "");
  const cited = new Set(
    sourceFiles().flatMap((file) =>
      [...read(file).matchAll(/\b(I[1-9]\d?)\b/g)].map(([, name]) => name ?? ""),
    ),
  );
  assert.deepEqual([...cited].sort(), [...listed].sort());
});

test("each folder that ARCHITECTURE.md has a row for exists, and each folder of src has a row", () => {
  const rows = [...page.matchAll(/^\| `src\/([\w-]+)\/` \|/gm)].map(([, name]) => name ?? "");
  const folders = new Set(
    sourceFiles()
      .map((file) => file.split("/").slice(1))
      .flatMap(([first, ...rest]) => (rest.length === 0 ? [] : [first ?? ""])),
  );
  assert.deepEqual([...folders].sort(), rows.sort());
});

test("docs/pictures.md is what the code draws; `npm run docs` writes it", async () => {
  assert.equal(read("docs/pictures.md"), await picturesDocument());
});
