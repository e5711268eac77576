// `npm run check`: everything about the code that can be judged without running it. Two parts at a time.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { compiler, pinnedEnvironment, repository } from "./pinned-node.mjs";

const cacheIn = (name) => path.join(".cache", name);
const cruised = ["src", "web", "test", "sim", "bench"].filter((folder) =>
  existsSync(path.join(repository, folder)),
);

const parts = [
  {
    name: "lint",
    command: ["eslint", "--max-warnings=0", "--cache", "--cache-location", cacheIn("eslint"), "."],
  },
  // With declarations, since the build makes them: a type that cannot be named there fails here.
  { name: "types", command: [...compiler, "-p", "tsconfig.json", "--declaration"] },
  { name: "types of the dashboard", command: [...compiler, "-p", "web/tsconfig.json"] },
  { name: "pure modules", command: [...compiler, "-p", "tsconfig.pure.json"] },
  { name: "modules", command: ["depcruise", "--config", ".dependency-cruiser.mjs", ...cruised] },
  {
    name: "fold version",
    command: ["node", "scripts/house/fold-version.ts", "--check"],
    remedy: "npm run fold-version, then commit src/fold/fold-version.ts",
  },
  {
    name: "pages without schemas",
    command: ["node", "scripts/house/page-imports.mjs"],
    remedy: "import types alone, or move the value to a file without schemas",
  },
  { name: "unused", command: ["knip", "--no-progress", "--no-config-hints"] },
  {
    name: "format",
    command: [
      "prettier",
      "--check",
      "--log-level=warn",
      "--cache",
      "--cache-location",
      cacheIn("prettier"),
      ".",
    ],
    remedy: "npm run format",
  },
];

/** Runs every part, so many at once, prints what failed, and resolves to whether all passed. */
export async function check(partsAtOnce = 2) {
  const waiting = [...parts];
  const failed = [];
  const worker = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      if (!(await runPart(part))) failed.push(part);
    }
  };
  await Promise.all(Array.from({ length: partsAtOnce }, worker));
  if (failed.length > 0)
    process.stdout.write(`check: failed: ${failed.map((part) => part.name).join(", ")}\n`);
  return failed.length === 0;
}

async function runPart({ name, command: [program, ...args], remedy }) {
  const startedMs = performance.now();
  const { code, text } = await collect(program, args);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const passed = code === 0;
  process.stdout.write(`${passed ? "✔" : "✖"} ${name} (${seconds} s)\n`);
  if (!passed) process.stdout.write(`${text.trimEnd()}\n${remedy === undefined ? "" : `→ ${remedy}\n`}`);
  return passed;
}

function collect(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: repository,
      env: pinnedEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece) => (text += piece));
    }
    child.on("error", (error) => resolve({ code: 1, text: `${program}: ${error.message}` }));
    child.on("close", (code) => resolve({ code, text }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = (await check()) ? 0 : 1;
}
