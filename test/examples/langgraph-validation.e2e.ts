import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EXAMPLES, installHoldfast } from "./packed-holdfast.ts";
import { takesTurns } from "../turns.ts";

const { before, test } = takesTurns(4);

interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** LangGraph's own suites, as of the pinned version; fewer would mean that some did not run. */
const TESTS_LEAST = 700;
const LIMIT_MS = 240_000;

before(installHoldfast);

const runTool = (file: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const tool = path.join(EXAMPLES, "node_modules", file);
    const options = {
      cwd: EXAMPLES,
      timeout: LIMIT_MS,
      maxBuffer: 64 << 20,
      env: { ...process.env, NODE_TEST_CONTEXT: "" },
    };
    execFile(process.execPath, [tool, ...args], options, (_, stdout, stderr) => resolve(stdout + stderr));
  });

test("J5 Holdfast as LangGraph's checkpointer passes every test of LangGraph's own validation, through SQLite", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-validation-"));
  try {
    const file = path.join(folder, "report.json");
    const said = await runTool("vitest/vitest.mjs", ["run", "--reporter=json", `--outputFile=${file}`]);
    const report = JSON.parse(readFileSync(file, "utf8")) as Report;
    const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    assert.deepEqual(
      results.filter(({ status }) => status !== "passed"),
      [],
      said,
    );
    assert.ok(results.length >= TESTS_LEAST, `only ${String(results.length)} ran`);
    t.diagnostic(`${String(report.numTotalTests)} tests of the validation package`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("J5 the examples compile against the real packages, with the types that the package ships", async () => {
  assert.equal(await runTool("typescript/bin/tsc", ["-p", "tsconfig.json"]), "");
});
