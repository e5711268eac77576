import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

/**
 * The package as it is published, unpacked where somebody would have installed it: in no repository, beside its
 * dependencies, without the sources.
 */
const repository = path.resolve(import.meta.dirname, "../..");
const root = mkdtempSync(path.join(tmpdir(), "holdfast-installed-"));
const modules = path.join(root, "node_modules");
const installed = path.join(modules, "holdfast");
const work = path.join(root, "work");
const { version, dependencies } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
  version: string;
  dependencies: Record<string, string>;
};

const env = {
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`,
  HOME: path.join(root, "home"),
  HOLDFAST_WATCHDOG: "off",
};

function start(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, env, encoding: "utf8", timeout: 120_000 });
  assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
const holdfast = (...args: string[]): string =>
  start(process.execPath, [path.join(installed, "bin/holdfast.js"), ...args], work);

before(() => {
  for (const folder of [modules, work, env.HOME]) mkdirSync(folder);
  start("npm", ["pack", "--silent", "--pack-destination", root], repository);
  const [packed = ""] = readdirSync(root).filter((name) => name.endsWith(".tgz"));
  start("tar", ["-xzf", packed], root);
  start("mv", ["package", installed], root);
  for (const name of Object.keys(dependencies))
    symlinkSync(path.join(repository, "node_modules", name), path.join(modules, name));
});
after(() => {
  rmSync(root, { recursive: true, force: true });
});

test("O1 an installed package knows its version, its ready-made flows and its own agent, outside of any repository", () => {
  assert.equal(holdfast("--version").trim(), version);
  const ran = holdfast("run", "say hello", "--agent", "demo", "--flow", "single-goal");
  assert.match(ran, /completed/);
  assert.match(holdfast("status"), /completed/);
  assert.ok(readdirSync(work).includes("hello.txt"));
});

test("J5 a program beside an installed package imports it, and its run is answered from the journal the second time", () => {
  const program = path.join(root, "loop.mjs");
  writeFileSync(
    program,
    `import { openHoldfast } from "holdfast";
import { durable } from "holdfast/ai";
const hf = await openHoldfast({ store: "sqlite:runs.db" });
let done = 0;
const value = await hf.run("once", (run) => run.step("count", () => (done += 1)));
await hf.close();
console.log(JSON.stringify({ value, done, ai: typeof durable }));
`,
  );
  const lives = [1, 2].map(() => JSON.parse(start(process.execPath, [program], work)) as unknown);
  assert.deepEqual(lives, [
    { value: 1, done: 1, ai: "function" },
    { value: 1, done: 0, ai: "function" },
  ]);
});
