// `npm run test:cost [-- --tier int] [PART-OF-PATH]...`: what each file of tests costs, dearest first: processor time
// of its process and of everything that it starts, and how long it only waits. Unlike a duration this says the same on
// a busy machine. Needs Linux and leave to make control groups (root, or a container's).
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, buildIsFresh } from "./build.mjs";
import { repository } from "./pinned-node.mjs";
import { filesOfTests, readTestArguments } from "./test-files.mjs";
import { makeTestPrograms } from "./test-programs.mjs";

const roots = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"];
const root = roots.find((folder) => existsSync(path.join(folder, "cgroup.controllers")));
const group = path.join(root ?? "", `holdfast-test-cost-${process.pid}`);
const results = path.join(repository, ".test-results", "cost.jsonl");

try {
  mkdirSync(group);
} catch (error) {
  process.stderr.write(`test:cost: no control group can be made here (${error.message}); run it as root\n`);
  process.exit(1);
}

process.env.HOLDFAST_ANCHOR ??= "off";
process.env.NODE_COMPILE_CACHE ??= path.join(repository, ".cache", "compiled");
const asked = readTestArguments(process.argv.slice(2));
// As in `npm test`: where no file is named, tests take turns.
if (asked.filters.length === 0) process.env.HOLDFAST_TEST_TURNS ??= "1";
const files = filesOfTests(asked);
if (!buildIsFresh()) build();
const dropPrograms = await makeTestPrograms();
mkdirSync(path.dirname(results), { recursive: true });
writeFileSync(results, "");
const costs = [];
for (const [index, file] of files.entries()) {
  const cost = await costOf(file, index);
  costs.push(cost);
  appendFileSync(results, `${JSON.stringify(cost)}\n`);
}
dropPrograms();
print(costs);
await removeWhenEmpty(group);

/** Runs one file in a control group of its own. Daemons that it leaves for a moment are still counted. */
async function costOf(file, index) {
  const own = path.join(group, String(index));
  mkdirSync(own);
  const started = performance.now();
  const child = spawn(
    "/bin/sh",
    ["-c", 'echo $$ > "$0" && exec "$@"', path.join(own, "cgroup.procs"), process.execPath, file],
    {
      cwd: repository,
      stdio: ["ignore", "ignore", "ignore"],
    },
  );
  const status = await new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  const wallS = (performance.now() - started) / 1000;
  const cpuS = numberIn(path.join(own, "cpu.stat"), /usage_usec (\d+)/) / 1e6;
  const delayedS = numberIn(path.join(own, "cpu.pressure"), /some .*total=(\d+)/) / 1e6;
  await removeWhenEmpty(own);
  return {
    file: path.relative(repository, file),
    cpuS,
    idleS: Math.max(0, wallS - cpuS - delayedS),
    wallS,
    status,
  };
}

function numberIn(file, pattern) {
  return existsSync(file) ? Number(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? 0) : 0;
}

async function removeWhenEmpty(folder) {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return rmdirSync(folder);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  process.stdout.write(
    `⚠ ${folder} still holds processes: ${readFileSync(path.join(folder, "cgroup.procs"), "utf8").trim().split("\n").join(", ")}\n`,
  );
}

function print(all) {
  const line = (cpu, idle, rest) =>
    process.stdout.write(`${cpu.toFixed(1).padStart(7)} s  ${idle.toFixed(1).padStart(7)} s  ${rest}\n`);
  process.stdout.write("processor       idle  file\n");
  for (const cost of all.toSorted((a, b) => b.cpuS - a.cpuS))
    line(cost.cpuS, cost.idleS, `${cost.file}${cost.status === 0 ? "" : ` (exit ${cost.status})`}`);
  const sum = (of, key) => of.reduce((total, cost) => total + cost[key], 0);
  for (const [tier, of] of Map.groupBy(all, (cost) => cost.file.split(".").at(-2)))
    line(sum(of, "cpuS"), sum(of, "idleS"), `${tier}: ${of.length} files`);
  line(sum(all, "cpuS"), sum(all, "idleS"), `all: ${all.length} files`);
}
