// Many files of unit tests in one process: loading the modules is most of what a small file costs. `test.mjs` starts
// this with a channel and a list of files; each event is told with the file it belongs to, in order.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { run } from "node:test";
import { repository } from "./pinned-node.mjs";

const mark = "begin of a file of units: ";
const told = new Set([
  "test:start",
  "test:pass",
  "test:fail",
  "test:diagnostic",
  "test:stdout",
  "test:stderr",
]);

process.once("message", async (files) => {
  mkdirSync(path.join(repository, ".cache"), { recursive: true });
  const folder = mkdtempSync(path.join(repository, ".cache", "units-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  let file = null;
  for await (const { type, data } of run({ files: withMarks(files, folder), isolation: "none" })) {
    if (data.name?.startsWith(mark)) file = data.name.slice(mark.length);
    else if (file !== null && told.has(type)) process.send({ type, data: plain(data, file) });
  }
  process.send({ type: "end" }, () => process.exit(0));
});

/** A test before each file, whose name says which file comes next: tests that a shared file defines are its own too. */
function withMarks(files, folder) {
  return files.flatMap((file, index) => {
    const marker = path.join(folder, `${index}.mjs`);
    const name = JSON.stringify(`${mark}${file}`);
    writeFileSync(marker, `import { test } from "node:test";\ntest(${name}, () => {});\n`);
    return [marker, file];
  });
}

/** What the results need; of a failure only that there was one, since its file runs again alone. */
function plain({ name, nesting, line, skip, todo, message, details }, file) {
  const { duration_ms = 0, type } = details ?? {};
  return { name, nesting, line, skip, todo, message, file, details: { duration_ms, type } };
}
