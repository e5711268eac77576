import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { parsed, sourceFiles, sourceText } from "../source-files.ts";

const repository = path.join(import.meta.dirname, "..", "..");
const RECORD = "docs/decisions/0029-one-reader-for-what-others-write.md";

/** Everything of `node:fs` that opens or reads the content of a file. */
const RAW = new Set([
  ...["readFile", "readFileSync", "createReadStream", "open", "openSync", "openAsBlob", "read", "readSync"],
  ...["readv", "readvSync", "copyFile", "copyFileSync", "cp", "cpSync", "promises"],
]);
const FS = new Set(["node:fs", "node:fs/promises", "fs", "fs/promises"]);

/** The names that a file takes from `node:fs` and that open or read; `*` for all of it at once. */
function rawNames(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && FS.has((node.moduleSpecifier as ts.StringLiteral).text)) {
      const { name, namedBindings } = node.importClause ?? {};
      if (name !== undefined || (namedBindings !== undefined && ts.isNamespaceImport(namedBindings)))
        found.push("*");
      else if (namedBindings !== undefined && ts.isNamedImports(namedBindings))
        for (const one of namedBindings.elements)
          if (!one.isTypeOnly && RAW.has((one.propertyName ?? one.name).text)) found.push(one.name.text);
    }
    // import("node:fs"), require("node:fs"), process.getBuiltinModule("node:fs")
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      if (first !== undefined && ts.isStringLiteral(first) && FS.has(first.text)) found.push("*");
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

const listed = (): string[] =>
  [...readFileSync(path.join(repository, RECORD), "utf8").matchAll(/^\| `(src\/[^`]+)` \| .{10,} \|$/gm)].map(
    ([, file]) => file ?? "",
  );

test("P4 every file of src that opens or reads files by itself is listed with its reason, and no listed one has become needless", () => {
  const raw = sourceFiles().filter(
    (file) => /["']((node:)?fs)[/"']/.test(sourceText(file)) && rawNames(parsed(file)).length > 0,
  );
  assert.deepEqual(
    raw.filter((file) => !listed().includes(file)),
    [],
    `read with src/files/plain-file.ts, or add a row with the reason to ${RECORD}`,
  );
  assert.deepEqual(
    listed().filter((file) => !raw.includes(file)),
    [],
    `rows of ${RECORD} that are no longer needed`,
  );
});

test("P4 a new raw read is found however it is imported", () => {
  const forms = [
    `import { readFileSync } from "node:fs";`,
    `import { readFile as slurp } from "node:fs/promises";`,
    `import * as fs from "node:fs";`,
    `import fs from "fs";`,
    `const fs = await import("node:fs");`,
    `const fs = process.getBuiltinModule("node:fs");`,
  ];
  for (const form of forms)
    assert.equal(rawNames(ts.createSourceFile("x.ts", form, ts.ScriptTarget.ESNext, true)).length, 1, form);
  const harmless = `import { existsSync, type Stats } from "node:fs";`;
  assert.deepEqual(rawNames(ts.createSourceFile("x.ts", harmless, ts.ScriptTarget.ESNext, true)), []);
});
