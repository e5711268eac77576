import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");
const manyLines = (count: number) => "// a line\n".repeat(count);

/** Each row plants one file and names the rules that must refuse it; none means that it must pass. */
const planted: [file: string, body: string, rules: string[]][] = [
  ["src/decide/innocent.ts", `export const sum = (a: number, b: number): number => a + b;`, []],
  ["src/decide/clock.ts", `export const now = (): number => Date.now();`, ["no-restricted-globals"]],
  ["src/model/date.ts", `export const then = new Date(0);`, ["no-restricted-globals"]],
  ["src/views/chance.ts", `export const chance = (): number => Math.random();`, ["no-restricted-properties"]],
  ["src/decide/later.ts", `export async function later(): Promise<void> {}`, ["no-restricted-syntax"]],
  ["src/decide/promise.ts", `export const p = Promise.resolve(1);`, ["no-restricted-syntax"]],
  ["src/model/digest.ts", `export const id = (): string => crypto.randomUUID();`, ["no-restricted-globals"]],
  ["src/views/node.ts", `import "node:fs";`, ["no-restricted-imports"]],
  ["src/decide/pid.ts", `export const pid = (): number => process.pid;`, ["no-restricted-globals"]],
  [
    "src/runtime/innocent.ts",
    `export async function f(): Promise<void> {}\nexport const g = f().catch(String);`,
    [],
  ],
  [
    "src/runtime/floating.ts",
    `async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}`,
    ["@typescript-eslint/no-floating-promises"],
  ],
  [
    "src/runtime/misused.ts",
    `export const each = (xs: number[]): void => xs.forEach(async (x) => Promise.resolve(x));`,
    ["@typescript-eslint/no-misused-promises"],
  ],
  [
    "src/runtime/forgotten.ts",
    `export function f(x: "a" | "b"): number {\n  switch (x) {\n    case "a":\n      return 1;\n    default:\n      return 2;\n  }\n}`,
    ["@typescript-eslint/switch-exhaustiveness-check"],
  ],
  [
    "src/runtime/swallowed.ts",
    `export function f(): void {\n  try {\n    f();\n  } catch {}\n}`,
    ["no-empty"],
  ],
  [
    "src/runtime/anything.ts",
    `export const f = (x: any): unknown => x;`,
    ["@typescript-eslint/no-explicit-any"],
  ],
  ["src/runtime/long-file.ts", `${manyLines(300)}export const x = 1;`, ["max-lines"]],
  [
    "src/runtime/long-function.ts",
    `export function f(): void {\n${manyLines(60)}}`,
    ["max-lines-per-function"],
  ],
  ["src/runtime/default-export.ts", `export default 1;`, ["no-restricted-syntax"]],
  ["src/runtime/barrel.ts", `export { g } from "./innocent.ts";`, ["no-restricted-syntax"]],
  ["src/runtime/camelCase.ts", `export const x = 1;`, ["holdfast/kebab-case-name"]],
];

let folder = "";

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-lint-"));
  symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  for (const name of ["package.json", "tsconfig.json", "eslint.config.mjs"]) {
    copyFileSync(path.join(repository, name), path.join(folder, name));
  }
  for (const [file, body] of planted) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${body}\n`);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

interface Linted {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
}

test("lint refuses each planted mistake by its rule, and nothing else", () => {
  const eslint = path.join(repository, "node_modules", ".bin", "eslint");
  const done = spawnSync(process.execPath, [eslint, "--format", "json", "src"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  const linted = JSON.parse(done.stdout) as Linted[];
  for (const [file, , rules] of planted) {
    const found = linted.find(({ filePath }) => filePath.endsWith(`/${file}`));
    const refused = [...new Set(found?.messages.map(({ ruleId, message }) => ruleId ?? message))];
    assert.deepEqual(refused, rules, `${file}: ${JSON.stringify(found?.messages)}`);
  }
});
