import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");
let folder = "";

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-pure-"));
  symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  for (const name of ["package.json", "tsconfig.json", "tsconfig.pure.json"]) {
    copyFileSync(path.join(repository, name), path.join(folder, name));
  }
  mkdirSync(path.join(folder, "src/decide"), { recursive: true });
});
after(() => rmSync(folder, { recursive: true, force: true }));

function compile(body: string): string {
  writeFileSync(path.join(folder, "src/decide/planted.ts"), `${body}\n`);
  const tsc = path.join(repository, "node_modules", "typescript-native", "bin", "tsc");
  const args = [tsc, "-p", "tsconfig.pure.json"];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout;
}

test("a pure module that reaches for Node, a timer or the browser does not compile", () => {
  assert.equal(compile(`import { z } from "zod";\nexport const text = z.string();`), "");
  const errors = compile(
    [
      `import { z } from "zod";`,
      `import { readFileSync } from "node:fs";`,
      `export const all = [z, readFileSync];`,
      `export const pid = process.pid;`,
      `setTimeout(() => undefined, 1);`,
      `export const page = document;`,
    ].join("\n"),
  );
  for (const name of ["node:fs", "process", "setTimeout", "document"]) {
    assert.match(errors, new RegExp(`Cannot find (module|name) '${name}'`), errors);
  }
});
