import assert from "node:assert/strict";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openExport } from "../src/journal/read-export.ts";
import type { RunState } from "../src/model/state/run-state.ts";
import { foldEvent, runSummary } from "../src/views/runs/run-summary.ts";

const FOLDER = path.join(import.meta.dirname, "golden");
const releases = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const journals = releases.flatMap(({ name }) =>
  readdirSync(path.join(FOLDER, name))
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => path.join(name, file)),
);

/** Everything that was recorded must be there and the same; more may be there. */
function assertHolds(actual: unknown, recorded: unknown, place: string): void {
  if (typeof recorded !== "object" || recorded === null) {
    assert.equal(actual, recorded, place);
    return;
  }
  assert.ok(typeof actual === "object" && actual !== null, `${place} is ${String(actual)}`);
  if (Array.isArray(recorded)) assert.equal((actual as unknown[]).length, recorded.length, place);
  for (const [key, value] of Object.entries(recorded))
    assertHolds((actual as Record<string, unknown>)[key], value, `${place}.${key}`);
}

async function fold(file: string): Promise<RunState | null> {
  const { recorded } = await openExport(file, createReadStream(path.join(FOLDER, file)));
  let state: RunState | null = null;
  for await (const event of recorded()) state = foldEvent(state, event);
  return state;
}

test("J9 there are golden journals of every release, each with the state it came to", () => {
  const { version } = JSON.parse(readFileSync(path.join(FOLDER, "..", "..", "package.json"), "utf8")) as {
    version: string;
  };
  assert.ok(
    releases.some(({ name }) => name === version),
    `make those of ${version}: scripts/house/golden.ts`,
  );
  for (const { name } of releases) {
    const files = readdirSync(path.join(FOLDER, name));
    const names = (suffix: string): string[] =>
      files.filter((file) => file.endsWith(suffix)).map((file) => file.slice(0, -suffix.length));
    assert.ok(files.length > 0);
    assert.deepEqual(names(".state.json").sort(), names(".jsonl").sort());
  }
});

for (const file of journals)
  test(`J9 the golden journal ${file} verifies, decodes and folds to its recorded state`, async () => {
    const state = await fold(file);
    assert.ok(state !== null);
    const recorded = readFileSync(path.join(FOLDER, file.replace(/jsonl$/, "state.json")), "utf8");
    const summary: unknown = JSON.parse(JSON.stringify(runSummary(state)));
    assertHolds(summary, JSON.parse(recorded), file);
  });
