// Plays files of unit tests in a few processes, many files each. What passes has passed. A file that does not, or that
// cannot live with others in one process, is given back, to be run alone and to tell what is wrong.
import { fork } from "node:child_process";
import path from "node:path";
import { repository } from "./pinned-node.mjs";

const program = path.join(repository, "scripts", "unit-batch.mjs");
const batchLimitMs = 5 * 60_000;

/** Calls `hear` with the events of files that passed; the answer are the files that are still to be run. */
export async function runUnitsTogether(files, hear, processes) {
  const shares = Array.from({ length: processes }, (_, share) =>
    files.filter((_, index) => index % processes === share),
  );
  const left = await Promise.all(shares.map((share) => playShare(share, hear)));
  return left.flat();
}

async function playShare(files, hear) {
  if (files.length === 0) return [];
  const events = await eventsOf(files);
  const left = [];
  for (const file of files) {
    const own = events.get(file) ?? [];
    const passed = own.filter(({ type }) => type === "test:pass").length > 0;
    if (passed && own.every(({ type }) => type !== "test:fail")) tellFile(file, own, hear);
    else left.push(file);
  }
  return left;
}

/** By file; of the one in which the process ended, and of those after it, nothing. */
function eventsOf(files) {
  return new Promise((resolve) => {
    const events = new Map();
    let last = null;
    const child = fork(program, { cwd: repository, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), batchLimitMs);
    child.on("message", ({ type, data }) => {
      last = type === "end" ? null : data.file;
      if (last !== null) events.set(last, [...(events.get(last) ?? []), { type, data }]);
    });
    child.on("close", () => {
      clearTimeout(timer);
      if (last !== null) events.delete(last);
      resolve(events);
    });
    child.send(files);
  });
}

function tellFile(file, events, hear) {
  for (const event of events) hear(event);
  const ends = events.filter(({ type, data }) => type === "test:pass" && data.details.type !== "suite");
  const count = (word) => ends.filter(({ data }) => data[word] !== undefined).length;
  const counts = { tests: ends.length, failed: 0, cancelled: 0, skipped: count("skip"), todo: count("todo") };
  const durationMs = ends
    .filter(({ data }) => data.nesting === 0)
    .reduce((sum, { data }) => sum + data.details.duration_ms, 0);
  hear({ type: "test:summary", data: { file, counts, duration_ms: durationMs, success: true } });
}
