// Turns the test runner's events into one record per test, and its closing counts into lines.
import path from "node:path";
import { repository } from "./pinned-node.mjs";
import { idsOf } from "./docs/features.mjs";

/** Hears every event of a run, in order; `outcome` tells the records, the failures and the files without a test. */
export function collectResults() {
  const results = [];
  const emptyFiles = [];
  const summary = [];
  const namesByFile = new Map();
  const failedFiles = new Set();
  const failedTitles = [];
  let failed = 0;

  const hearEnd = (data, passed) => {
    const file = data.entryFile ?? data.file ?? "";
    const aboutFile = data.name === file;
    if (!passed) {
      failed += 1;
      failedFiles.add(file);
      if (data.details.error?.failureType !== "subtestsFailed") {
        failedTitles.push(
          `${aboutFile ? "did not finish by itself" : data.name} (${path.relative(repository, file)})`,
        );
      }
    }
    if (aboutFile && passed) emptyFiles.push(path.relative(repository, file));
    if (aboutFile || data.details.type === "suite") return;
    const within = (namesByFile.get(file) ?? []).slice(0, data.nesting);
    results.push(record({ data, passed, file, within }));
  };

  const hear = ({ type, data }) => {
    if (type === "test:start") {
      const names = namesByFile.get(data.entryFile ?? data.file) ?? [];
      names[data.nesting] = data.name;
      namesByFile.set(data.entryFile ?? data.file, names);
    } else if (type === "test:pass") hearEnd(data, true);
    else if (type === "test:fail") hearEnd(data, false);
    else if (type === "test:diagnostic" && data.nesting === 0 && data.file === undefined) {
      summary.push(data.message);
    }
  };

  return { hear, outcome: () => ({ results, emptyFiles, summary, failed, failedFiles, failedTitles }) };
}

function record({ data, passed, file, within }) {
  const excuse = data.skip ?? data.todo;
  const status = !passed ? "failed" : excuse === undefined ? "passed" : "skipped";
  const reason =
    typeof excuse === "string" && excuse !== "" ? excuse : data.todo ? "to do" : "no reason given";
  return {
    file: path.relative(repository, file),
    title: titleOf(data.name, within),
    status,
    ...(status === "skipped" ? { skipReason: reason } : {}),
    durationMs: Math.round(data.details.duration_ms),
  };
}

/** A test's own sentence; where only a suite around it names the mission's ids, the suite's name stands in front. */
function titleOf(name, within) {
  if (idsOf(name).length > 0) return name;
  const suite = within.find((outer) => idsOf(outer).length > 0);
  return suite === undefined ? name : `${suite}: ${name}`;
}
