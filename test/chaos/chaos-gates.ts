/**
 * Runs the gates' end-to-end tests, in which the mirrors write into the tree that is approved, beside processes that
 * use all processors: an approval must never be asked for again because Holdfast itself wrote a file.
 *
 * Usage: npm run chaos:gates -- [--times 20] [--hogs N]
 * Ends with exit 1 if any of the rounds failed; bounded by --times, by a limit on every round, and by one on the hogs.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseWords } from "../../sim/people/parse-words.ts";

const REPOSITORY = path.resolve(import.meta.dirname, "../..");
const ROUND_MS_MAX = 10 * 60_000;
const OUTPUT_CHARS_MAX = 8_000;

const { values } = parseWords({ options: { times: { type: "string" }, hogs: { type: "string" } } });
const times = Number(values.times ?? 20);
const hogCount = Number(values.hogs ?? availableParallelism());

/** A hog ends by itself, even where nobody ends it. */
const startHog = (): ChildProcess =>
  spawn(
    process.execPath,
    ["-e", `const end = Date.now() + ${String(ROUND_MS_MAX)}; while (Date.now() < end);`],
    { stdio: "ignore" },
  );

function round(): { readonly passed: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/test.mjs", "--tier", "e2e", "cli/decide/gates"],
    {
      cwd: REPOSITORY,
      encoding: "utf8",
      timeout: ROUND_MS_MAX,
    },
  );
  return { passed: status === 0, output: `${stdout}${stderr}`.slice(-OUTPUT_CHARS_MAX) };
}

let failed = 0;
console.log(`chaos:gates: ${String(times)} rounds beside ${String(hogCount)} hogs`);
for (let nth = 1; nth <= times; nth += 1) {
  const hogs = Array.from({ length: hogCount }, startHog);
  const began = performance.now();
  const { passed, output } = round();
  for (const hog of hogs) hog.kill("SIGKILL");
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`round ${String(nth)}: ${passed ? "passed" : "failed"} in ${seconds} s`);
  if (passed) continue;
  failed += 1;
  console.error(output);
}
console.log(`${String(times - failed)} of ${String(times)} rounds passed`);
process.exitCode = failed === 0 ? 0 : 1;
