// `npm test`: the checks, the build, and every test under test/. On the pinned Node.
// `npm test -- --tier unit`, `npm test -- test/journal` and `npm test -- --tier int tmux` run fewer, without the checks.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { run } from "node:test";
import { build, buildIsFresh } from "./build.mjs";
import { check } from "./check.mjs";
import { compareWithDocument } from "./features.mjs";
import { watchOverdueFiles } from "./overdue-files.mjs";
import { repository } from "./pinned-node.mjs";
import { printEvent, printSkipped } from "./test-output.mjs";
import { collectResults } from "./test-results.mjs";

const tiers = ["unit", "contract", "int", "sim", "e2e", "page"];
const filesAtOnce = 2;
const fileTimeoutMs = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 5 * 60_000);
const resultsFolder = path.join(repository, ".test-results");

const asked = readArguments(process.argv.slice(2));
const problems = [];

if (asked.everything) {
  if (!(await check())) problems.push("npm run check");
}
const files = testFiles(asked);
const unitsOnly = files.every((file) => file.endsWith(".unit.ts"));
if (!unitsOnly && !buildIsFresh() && build() !== 0) problems.push("the build");
const outcome = await runTests(files);
if (asked.everything && outcome.failed === 0) problems.push(...compareWithDocument(outcome.results));
report(outcome);

async function runTests(files) {
  const watch = collectResults();
  const overdue = watchOverdueFiles(fileTimeoutMs);
  if (files.length > 0) {
    const options = { files, concurrency: filesAtOnce, timeout: fileTimeoutMs, cwd: repository };
    for await (const event of run(options)) {
      watch.hear(event);
      overdue.hear(event);
      printEvent(event);
    }
  }
  overdue.close();
  const outcome = watch.outcome();
  mkdirSync(resultsFolder, { recursive: true });
  const name = asked.everything ? "results.jsonl" : "filtered.jsonl";
  rmSync(path.join(resultsFolder, name), { force: true });
  writeFileSync(
    path.join(resultsFolder, name),
    outcome.results.map((result) => `${JSON.stringify(result)}\n`).join(""),
  );
  return outcome;
}

function report(outcome) {
  printSkipped(outcome.results);
  if (outcome.failed > 0) problems.push(`${outcome.failed} failing`);
  for (const file of outcome.emptyFiles) {
    problems.push(
      `${file} has no tests (a suite that others call goes into a file without a tier in its name)`,
    );
  }
  if (outcome.results.length === 0) problems.push("no test was run");
  for (const problem of problems) process.stdout.write(`✖ ${problem}\n`);
  for (const line of outcome.summary) process.stdout.write(`ℹ ${line}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function testFiles({ wantedTiers, filters }) {
  const suffix = new RegExp(`\\.(${wantedTiers.join("|")})\\.ts$`);
  return readdirSync(path.join(repository, "test"), { recursive: true })
    .map((name) => path.join("test", name))
    .filter((file) => suffix.test(file) && !file.includes("/fixtures/"))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort((a, b) => tierOf(a) - tierOf(b) || a.localeCompare(b))
    .map((file) => path.join(repository, file));
}

function tierOf(file) {
  return tiers.findIndex((tier) => file.endsWith(`.${tier}.ts`));
}

function readArguments(args) {
  const wantedTiers = [];
  const filters = [];
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === "--tier") wantedTiers.push(...(args[(i += 1)] ?? "").split(","));
    else if (args[i].startsWith("-")) usage(`${args[i]} is not an option`);
    else filters.push(args[i].replace(/^\.\//, ""));
  }
  const unknown = wantedTiers.find((tier) => !tiers.includes(tier));
  if (unknown !== undefined) usage(`"${unknown}" is not a tier`);
  const everything = wantedTiers.length === 0 && filters.length === 0;
  return { everything, wantedTiers: wantedTiers.length === 0 ? tiers : wantedTiers, filters };
}

function usage(reason) {
  process.stderr.write(`test: ${reason}; usage: npm test -- [--tier ${tiers.join("|")}] [PART-OF-PATH]...\n`);
  process.exit(2);
}
