import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");
const oneTest = (title: string, body = "") =>
  `import { test } from "node:test"; test(${JSON.stringify(title)}, (t) => { ${body} });`;

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-command-"));
  cpSync(path.join(repository, "scripts"), path.join(folder, "scripts"), { recursive: true });
  symlinkSync(path.join(repository, "toolchain"), path.join(folder, "toolchain"));
  mkdirSync(path.join(folder, "test"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runTests(files: Record<string, string>, args = ["--tier", "unit"], more: NodeJS.ProcessEnv = {}) {
  for (const [name, body] of Object.entries(files)) writeFileSync(path.join(folder, "test", name), body);
  const env = { ...process.env, ...more };
  delete env["NODE_TEST_CONTEXT"];
  return spawnSync(process.execPath, [path.join(folder, "scripts/test.mjs"), ...args], {
    encoding: "utf8",
    env,
  });
}

test("the test command ends with the counts and exit 0 when every test passes", () => {
  const done = runTests({
    "a.unit.ts": oneTest("J1 holds"),
    "b.int.ts": oneTest("fails", "throw new Error()"),
  });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /ℹ tests 1\n[\s\S]*ℹ pass 1\nℹ fail 0\n/);
  assert.match(done.stdout.trimEnd().split("\n").at(-1) ?? "", /^ℹ duration_ms/);
});

test("the test command shows a failure in full, with what its file printed, and exits 1", () => {
  const done = runTests({
    "a.unit.ts": oneTest("J1 breaks", `console.log("a clue"); throw new Error("boom");`),
  });
  assert.equal(done.status, 1);
  assert.match(done.stdout, /✖ J1 breaks \(test\/a\.unit\.ts:1\)\n[\s\S]*boom[\s\S]*a clue[\s\S]*ℹ fail 1\n/);
});

test("the test command runs a failed file again, alone, and says loudly what passed only then", () => {
  const failsOnce = `import { existsSync, writeFileSync } from "node:fs"; import { test } from "node:test";
    test("J1 is unsteady", () => { if (!existsSync("seen")) { writeFileSync("seen", ""); throw new Error("busy"); } });`;
  const files = { "a.unit.ts": failsOnce, "b.unit.ts": oneTest("J1 holds") };
  const done = runTests(files, ["--tier", "unit", "--again"]);
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /busy[\s\S]*⚠ UNSTEADY.*J1 is unsteady \(test\/a\.unit\.ts\)\n/);
  assert.match(done.stdout, /ℹ tests 2\n[\s\S]*ℹ pass 2\nℹ fail 0\n/);
});

test("the test command fails, with the names at the end, when a file fails again", () => {
  const done = runTests({ "a.unit.ts": oneTest("J1 breaks", "throw new Error()") }, [
    "--tier",
    "unit",
    "--again",
  ]);
  assert.equal(done.status, 1);
  assert.match(done.stdout, /✖ 1 failing\n✖ J1 breaks \(test\/a\.unit\.ts\)\nℹ tests 1\n/);
});

test("the test command fails for what fails again, and reports beside it what passed the second time", () => {
  const failsOnce = `import { existsSync, writeFileSync } from "node:fs"; import { test } from "node:test";
    test("J1 is unsteady", () => { if (!existsSync("seen")) { writeFileSync("seen", ""); throw new Error("busy"); } });`;
  const files = { "a.unit.ts": failsOnce, "b.unit.ts": oneTest("J1 breaks", "throw new Error()") };
  const done = runTests(files, ["--tier", "unit", "--again"]);
  assert.equal(done.status, 1);
  assert.match(done.stdout, /⚠ UNSTEADY.*J1 is unsteady \(test\/a\.unit\.ts\)\n/);
  assert.match(
    done.stdout,
    /✖ 1 failing\n✖ J1 breaks \(test\/b\.unit\.ts\)\nℹ tests 2\n[\s\S]*ℹ pass 1\nℹ fail 1\n/,
  );
});

test("the test command counts a file that crashes as a failure", () => {
  const done = runTests({ "a.unit.ts": `throw new Error("early");` });
  assert.equal(done.status, 1);
  assert.match(done.stdout, /test\/a\.unit\.ts did not finish[\s\S]*early/);
});

test("the test command ends a file that spins and is deaf to polite signals", () => {
  const spin = `process.on("SIGTERM", () => {}); for (;;);`;
  const files = { "a.unit.ts": oneTest("J1 spins", spin), "b.unit.ts": oneTest("J1 holds") };
  const done = runTests(files, ["--tier", "unit"], { TEST_FILE_TIMEOUT_MS: "2000" });
  assert.equal(done.status, 1);
  assert.match(done.stdout, /test\/a\.unit\.ts did not finish[\s\S]*ℹ pass 1\n/);
});

test("the test command names skipped tests with their reasons, and records them", () => {
  const done = runTests({ "a.unit.ts": `${oneTest("A8 types", `t.skip("tmux is missing")`)}\n` });
  assert.equal(done.status, 0);
  assert.match(done.stdout, /1 SKIPPED.*\n {2}1 × tmux is missing:\n {4}A8 types \(test\/a\.unit\.ts\)\n/);
  const record = readFileSync(path.join(folder, ".test-results/filtered.jsonl"), "utf8");
  const { durationMs, ...rest } = JSON.parse(record) as Record<string, unknown>;
  assert.equal(typeof durationMs, "number");
  assert.deepEqual(rest, {
    file: "test/a.unit.ts",
    title: "A8 types",
    status: "skipped",
    skipReason: "tmux is missing",
  });
});

test("the test command fails when no test was run, or a file holds none", () => {
  assert.match(runTests({}).stdout, /no test was run/);
  const done = runTests({ "a.unit.ts": oneTest("J1 holds"), "b.unit.ts": "export {};" });
  assert.equal(done.status, 1);
  assert.match(done.stdout, /test\/b\.unit\.ts has no tests/);
});

test("P4 the test command names a tier it does not know and exits 2", () => {
  const done = runTests({}, ["--tier", "units"]);
  assert.equal(done.status, 2);
  assert.match(done.stderr, /"units" is not a tier; usage/);
});

test("the test command plays many files of units in few processes; what does not pass there runs alone and is reported in full", () => {
  const holding = Array.from({ length: 20 }, (_, n): [string, string] => [
    `u${String(n)}.unit.ts`,
    `import { holds } from "./shared.ts"; holds(${String(n)});`,
  ]);
  const done = runTests({
    ...Object.fromEntries(holding),
    "shared.ts": `import { test } from "node:test"; export const holds = (n) => test("J1 holds " + n, () => {});`,
    "b.unit.ts": oneTest("J1 breaks", `throw new Error("boom");`),
    "c.unit.ts": "process.exit(0);",
  });
  assert.equal(done.status, 1);
  assert.match(done.stdout, /ℹ test\/b\.unit\.ts did not pass beside others, and runs alone\n/);
  assert.match(done.stdout, /✖ J1 breaks \(test\/b\.unit\.ts:1\)\n[\s\S]*boom/);
  assert.match(done.stdout, /✖ test\/c\.unit\.ts has no tests/);
  const kept = readFileSync(path.join(folder, ".test-results", "filtered.jsonl"), "utf8")
    .trim()
    .split("\n");
  const files = kept.map((line) => (JSON.parse(line) as { file: string }).file);
  for (const [name] of holding) assert.equal(files.filter((file) => file === `test/${name}`).length, 1, name);
});

test("the test command fails, and names it, when a process of a test is left running", () => {
  const leaves = `import { spawn } from "node:child_process";
    const left = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { detached: true, stdio: "ignore" });
    console.log(left.pid); left.unref();`;
  const done = runTests({ "a.unit.ts": oneTest("J1 leaves").replace("test(", `${leaves}; test(`) });
  const [, pid] = /process (\d+) is left of the tests: .*setTimeout/.exec(done.stdout) ?? [];
  assert.ok(pid !== undefined, done.stdout);
  process.kill(Number(pid));
  assert.equal(done.status, 1);
});
