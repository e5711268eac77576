// `npm test`: the checks, the build, and every test under test/. On the pinned Node.
// `npm test -- --tier unit`, `npm test -- test/journal` and `npm test -- --tier int tmux` run fewer, without the checks
// and, unless `--again` is given, without a second look at what failed.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { run } from "node:test";
import { build, buildIsFresh } from "./build.mjs";
import { check } from "./check.mjs";
import { compareWithDocument, unknownRows } from "./docs/features.mjs";
import { leftProcesses, markProcesses } from "./left-processes.mjs";
import { watchOverdueFiles } from "./overdue-files.mjs";
import { repository } from "./pinned-node.mjs";
import { filesOfTests, readTestArguments } from "./test-files.mjs";
import { makeTestPrograms } from "./test-programs.mjs";
import { printEvent, printSamples, printSkipped } from "./test-output.mjs";
import { collectResults } from "./test-results.mjs";
import { runUnitsTogether } from "./unit-batches.mjs";

/** They wait for about as long as they work: two cores are kept busy by four. */
const filesAtOnce = 4;
/** Fewer files of units than these are run each in a process of its own, as all others are. */
const unitsTogetherLeast = 16;
const unitProcesses = 2;
/** A failure of more files than these, of some hundred, is not the noise of a busy machine, and gets no second look. */
const filesLookedAtAgain = 12;
const fileTimeoutMs = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 15 * 60_000);
const resultsFolder = path.join(repository, ".test-results");

const asked = readTestArguments(process.argv.slice(2));
const problems = [];
// Every file of tests, and every process that one starts, loads much the same modules: they are compiled once.
// Stores of tests come and go under the same address; tests of anchors name a folder of their own.
process.env.HOLDFAST_ANCHOR ??= "off";
process.env.NODE_COMPILE_CACHE ??= path.join(repository, ".cache", "compiled");

// Where no file is named, tests that take turns do so: see test/day-sample.ts.
if (asked.filters.length === 0) process.env.HOLDFAST_TEST_TURNS ??= "1";

markProcesses();
// Beside the tests: most of the checks is one process that computes, and tests wait for each other too.
const checked = asked.everything ? check(1) : true;
const files = filesOfTests(asked);
const unitsOnly = files.every((file) => file.endsWith(".unit.ts"));
if (!unitsOnly && !buildIsFresh() && build() !== 0) problems.push("the build");
const dropPrograms = unitsOnly ? () => {} : await makeTestPrograms();
const outcome = await runTests(files, filesAtOnce);
if (!(await checked)) problems.push("npm run check");
const unsteady = asked.again ? await lookAgain(outcome) : [];
problems.push(...(await leftProcesses()));
dropPrograms();
keepResults(outcome.results);
problems.push(...unknownRows(outcome.results));
if (asked.everything && outcome.failed === 0) {
  const document = compareWithDocument(outcome.results);
  for (const line of document.warnings) process.stdout.write(`⚠ ${line}\n`);
  problems.push(...document.problems);
}
report(outcome);

async function runTests(files, concurrency) {
  const watch = collectResults();
  const units = files.filter((file) => file.endsWith(".unit.ts"));
  const hear = (event) => {
    watch.hear(event);
    printEvent(event);
  };
  const together = units.length >= unitsTogetherLeast ? units : [];
  const left = new Set(await runUnitsTogether(together, hear, unitProcesses));
  for (const file of left)
    process.stdout.write(`ℹ ${path.relative(repository, file)} did not pass beside others, and runs alone\n`);
  const alone = files.filter((file) => left.has(file) || !together.includes(file));
  const overdue = watchOverdueFiles(fileTimeoutMs);
  if (alone.length > 0) {
    for await (const event of run({ files: alone, concurrency, timeout: fileTimeoutMs, cwd: repository })) {
      overdue.hear(event);
      hear(event);
    }
  }
  overdue.close();
  const outcome = watch.outcome();
  if (together.length === 0) return outcome;
  return { ...outcome, summary: summaryOf(outcome.results, outcome.summary) };
}

/**
 * The machines that run this are shared and noisy. Files that failed run once more, alone; what passes then is reported
 * as unsteady, loudly and by name, with both runs in the output, but does not fail the whole. What fails again does.
 */
async function lookAgain(outcome) {
  const files = [...outcome.failedFiles];
  if (files.length === 0 || files.length > filesLookedAtAgain) return [];
  process.stdout.write(`⚠ ${files.length} files failed and run again, alone\n`);
  const again = await runTests(files, 1);
  const ran = new Set(files.map((file) => path.relative(repository, file)));
  const steady = new Set(again.failedTitles);
  const unsteady = outcome.failedTitles.filter((title) => !steady.has(title));
  outcome.results = [...outcome.results.filter((result) => !ran.has(result.file)), ...again.results];
  outcome.failed = again.failed;
  outcome.failedTitles = again.failedTitles;
  outcome.summary = summaryOf(outcome.results, outcome.summary);
  return unsteady;
}

/** The runner's closing lines, with the counts of what stands in the end. */
function summaryOf(results, lines) {
  const count = (status) => results.filter((result) => result.status === status).length;
  const counts = {
    ...{ tests: results.length, pass: count("passed"), fail: count("failed"), cancelled: 0 },
    skipped: count("skipped"),
  };
  const known = lines.length > 0 ? lines : Object.keys(counts);
  return known.map((line) => {
    const [word] = line.split(" ");
    return word in counts ? `${word} ${counts[word]}` : line;
  });
}

function keepResults(results) {
  mkdirSync(resultsFolder, { recursive: true });
  const name = asked.everything ? "results.jsonl" : "filtered.jsonl";
  // A full run replaces what runs of single files had said before it.
  rmSync(path.join(resultsFolder, "filtered.jsonl"), { force: true });
  const lines = results.map((result) => `${JSON.stringify(result)}\n`);
  writeFileSync(path.join(resultsFolder, name), lines.join(""));
}

function report(outcome) {
  printSamples();
  printSkipped(outcome.results);
  for (const title of unsteady)
    process.stdout.write(`⚠ UNSTEADY, failed beside others and passed alone: ${title}\n`);
  if (outcome.failed > 0) problems.push(`${outcome.failed} failing`, ...outcome.failedTitles);
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
