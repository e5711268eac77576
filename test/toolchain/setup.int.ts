import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");
/** Loaded before setup, it takes away the right to install and every command of the system. */
const nobody = `data:text/javascript,${encodeURIComponent(
  `process.getuid = () => 1000; process.env.PATH = "/nowhere";`,
)}`;

function setUp(flags: string[], args: string[], env: Record<string, string> = {}) {
  const script = path.join(repository, "scripts/setup.mjs");
  return spawnSync(process.execPath, [...flags, script, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

test("setup says nothing and changes nothing when nothing is missing", () => {
  const done = setUp([], ["--for", "build"]);
  assert.deepEqual([done.status, done.stdout, done.stderr], [0, "", ""]);
});

test("P4 setup lists what to install where it may not install it, and lets the tests go on without", () => {
  const done = setUp(["--import", nobody], ["--for", "test"]);
  assert.equal(done.status, 0);
  assert.match(
    done.stderr,
    /please install:\n.*git \(Debian package git\)[\s\S]*tmux \(Debian package tmux\)/,
  );
  assert.match(done.stderr, /skipped/);
});

test("P4 setup says that the real agents could not be installed, and leaves nothing half done", () => {
  const cache = mkdtempSync(path.join(tmpdir(), "holdfast-cache-"));
  try {
    const done = setUp(["--import", nobody], ["--for", "test"], { XDG_CACHE_HOME: cache });
    assert.equal(done.status, 0);
    assert.match(done.stderr, /installing the real agents that tests run \(1\.3 GB/);
    assert.match(done.stderr, /the real agents are not installed: npm ci failed .*skipped/);
    assert.deepEqual(readdirSync(path.join(cache, "holdfast")), []);
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test("setup says of everything that it fetches from the registry how much that is", () => {
  const scripts = ["setup.mjs", "real-agents.mjs"].map((name) =>
    readFileSync(path.join(repository, "scripts", name), "utf8"),
  );
  const reported = scripts.flatMap(
    (text) => text.match(/(?<=say\([`"]installing |title:\s+").*(?=[`"])/g) ?? [],
  );
  const fetched = reported.filter((words) => !words.includes("apt-get") && !words.startsWith("${title}"));
  assert.equal(fetched.length, 5, reported.join("\n"));
  for (const words of fetched) assert.match(words, /\(\d[\d.]* [MG]B on disk/);
});

test("P4 setup refuses to start the demo without what the demo needs", () => {
  const done = setUp(["--import", nobody], ["--for", "start"]);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /git \(Debian package git\)/);
});

test("P4 setup names a purpose it does not know and exits 2", () => {
  const done = setUp([], ["--for", "fun"]);
  assert.equal(done.status, 2);
  assert.match(done.stderr, /--for fun is not understood; usage: .*build\|start\|test/);
});
