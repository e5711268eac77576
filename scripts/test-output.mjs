// What `npm test` shows: a line per file, every failure in full, every skipped test with its reason.
import path from "node:path";
import { inspect } from "node:util";
import { repository } from "./pinned-node.mjs";

const outputKeptChars = 16_000;
const outputByFile = new Map();
const samples = [];

export function printEvent({ type, data }) {
  if (type === "test:stdout" || type === "test:stderr") keepOutput(data);
  else if (type === "test:fail") printFailure(data);
  else if (type === "test:diagnostic" && data.message.startsWith("sample of the day: "))
    samples.push(`${relative(data.file)}: ${data.message.slice("sample of the day: ".length)}`);
  else if (type === "test:summary" && data.file !== undefined) printFile(data);
}

function keepOutput({ file, message }) {
  outputByFile.set(file, `${outputByFile.get(file) ?? ""}${message}`.slice(-outputKeptChars));
}

function printFile({ file, counts, duration_ms: durationMs, success }) {
  const parts = [`${counts.tests} tests`];
  if (counts.failed + counts.cancelled > 0) parts.push(`${counts.failed + counts.cancelled} failed`);
  if (counts.skipped + counts.todo > 0) parts.push(`${counts.skipped + counts.todo} skipped`);
  write(
    `${success ? "✔" : "✖"} ${relative(file)}: ${parts.join(", ")} (${(durationMs / 1000).toFixed(1)} s)`,
  );
  if (!success) printOutput(file);
  outputByFile.delete(file);
}

function printFailure({ name, file, line, details }) {
  const { error } = details;
  if (error.failureType === "subtestsFailed") return;
  const aboutFile = name === file;
  write(aboutFile ? `✖ ${relative(file)} did not finish by itself` : `✖ ${name} (${relative(file)}:${line})`);
  write(
    indent(typeof error.cause === "string" ? error.cause : inspect(error.cause ?? error, { colors: false })),
  );
  if (aboutFile) printOutput(file);
}

function printOutput(file) {
  const output = outputByFile.get(file)?.trimEnd();
  if (output) write(indent(`it printed:\n${output}`));
}

/** Skipped tests prove nothing, so they are never silent. */
export function printSkipped(results) {
  const skipped = results.filter((result) => result.status === "skipped");
  if (skipped.length === 0) return;
  write(`⚠ ${skipped.length} SKIPPED, and so not proved by this run:`);
  const byReason = Map.groupBy(skipped, (result) => result.skipReason);
  for (const [reason, tests] of byReason) {
    write(`  ${tests.length} × ${reason}:`);
    for (const { title, file } of tests) write(`    ${title} (${file})`);
  }
}

/** What was played in part only, by which seed, and how all of it is. */
export function printSamples() {
  if (samples.length > 0) write("ℹ samples of the day:");
  for (const sample of samples) write(`    ${sample}`);
}

function relative(file) {
  return path.relative(repository, file ?? repository);
}

function indent(text) {
  return text.replace(/^/gm, "    ");
}

function write(line) {
  process.stdout.write(`${line}\n`);
}
