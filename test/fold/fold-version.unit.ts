import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { foldCode, foldVersion } from "../../scripts/house/fold-version.ts";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";

const repository = path.resolve(import.meta.dirname, "../..");
let copy = "";

before(() => {
  copy = mkdtempSync(path.join(tmpdir(), "holdfast-fold-"));
  for (const room of ["model", "fold", "decide"])
    cpSync(path.join(repository, "src", room), path.join(copy, "src", room), { recursive: true });
});
after(() => rmSync(copy, { recursive: true, force: true }));

/** The version of the fold while a file of the copy is another. */
function versionWith(file: string, change: (text: string) => string): string {
  const target = path.join(copy, file);
  const text = readFileSync(target, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text, `${file} was to be changed`);
  writeFileSync(target, changed);
  try {
    return foldVersion(copy);
  } finally {
    writeFileSync(target, text);
  }
}

test("J3 the version of the fold is the digest of its code, and the fold reaches nothing but itself and the model", () => {
  assert.equal(foldVersion(repository), FOLD_VERSION, "run `npm run fold-version`");
  assert.equal(foldVersion(copy), FOLD_VERSION);
  const strange = [...foldCode(repository).keys()].filter((file) => !/^src\/(fold|model)\//.test(file));
  assert.deepEqual(strange, []);
});

test("J3 one changed character of any file of the fold changes its version", () => {
  for (const file of foldCode(copy).keys())
    assert.notEqual(
      versionWith(file, (text) => `${text}\nexport const more = 1;\n`),
      FOLD_VERSION,
      file,
    );
  const oneMore = (text: string): string => text.replace("END_TRIES = 2", "END_TRIES = 3");
  assert.notEqual(versionWith("src/fold/attempt/new-attempt-state.ts", oneMore), FOLD_VERSION);
});

test("J3 comments, layout, types and code outside the fold do not change its version", () => {
  const evolve = "src/fold/evolve.ts";
  assert.equal(
    versionWith(evolve, (text) => `// A remark.\n\n${text}/* Another. */\n`),
    FOLD_VERSION,
  );
  assert.equal(
    versionWith(evolve, (text) => `${text}interface Unused { readonly at: number }\n`),
    FOLD_VERSION,
  );
  assert.equal(
    versionWith("src/decide/decide.ts", (text) => `${text}\nexport const more = 1;\n`),
    FOLD_VERSION,
  );
  assert.equal(
    versionWith("src/fold/fold-version.ts", (text) => text.replace(FOLD_VERSION, "0")),
    FOLD_VERSION,
  );
  appendFileSync(path.join(copy, evolve), "\n");
  assert.equal(foldVersion(copy), FOLD_VERSION);
});
