import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const repository = path.resolve(import.meta.dirname, "../..");
/** Loaded before the launcher, it makes this Node look old to the launcher, and only to it. */
const looksOld = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });`,
)}`;

let folder = "";
let launcher = "";

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-launcher-"));
  launcher = path.join(folder, "bin", "holdfast.js");
  mkdirSync(path.dirname(launcher));
  for (const name of ["holdfast.js", "package.json"])
    copyFileSync(path.join(repository, "bin", name), path.join(folder, "bin", name));
  writeFileSync(path.join(folder, "package.json"), `{ "type": "module" }`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function placeBuild(body: string): void {
  mkdirSync(path.join(folder, "dist"), { recursive: true });
  writeFileSync(path.join(folder, "dist/main.js"), body);
}

function placePinnedNode(): void {
  mkdirSync(path.join(folder, "scripts"), { recursive: true });
  copyFileSync(
    path.join(repository, "scripts/pinned-node.mjs"),
    path.join(folder, "scripts/pinned-node.mjs"),
  );
  rmSync(path.join(folder, "toolchain"), { force: true });
  symlinkSync(path.join(repository, "toolchain"), path.join(folder, "toolchain"));
}

function launch(flags: string[], args: string[]) {
  return spawnSync(process.execPath, [...flags, launcher, ...args], { encoding: "utf8" });
}

test("P4 an installed command on an old Node names the Node it needs and exits 2", () => {
  const done = launch(["--import", looksOld], ["status"]);
  assert.equal(done.status, 2);
  assert.match(done.stderr, /this is Node 20\.11\.0, and Holdfast needs Node 24 or newer/);
  assert.equal(done.stdout, "");
});

test("P4 a checkout that was never built says how to build it and exits 2", () => {
  const done = launch([], ["status"]);
  assert.equal(done.status, 2);
  assert.match(done.stderr, /npm run build/);
});

test("P4 a small program for status that is broken leaves it to the whole one", () => {
  placeBuild(`export async function main(args) { console.log(JSON.stringify(args)); return 0; }`);
  const quick = path.join(folder, "dist/quick-status.cjs");
  for (const text of ["throw new Error('broken')", "module.exports = {}", "("]) {
    writeFileSync(quick, text);
    const done = launch([], ["status", "run-1"]);
    assert.deepEqual([done.stdout, done.stderr, done.status], ['["status","run-1"]\n', "", 0], text);
  }
  rmSync(quick);
});

test("the launcher hands its arguments to the command line and ends with its exit code", () => {
  placeBuild(`export async function main(args) { console.log(JSON.stringify(args)); return 5; }`);
  const done = launch([], ["events", "--type", "a b"]);
  assert.equal(done.status, 5);
  assert.equal(done.stdout, `["events","--type","a b"]\n`);
});

test("in a checkout an old Node hands over to the pinned one, with arguments, exit code and signals", async () => {
  placePinnedNode();
  placeBuild(`export function main(args) {
    const stay = setInterval(() => {}, 1000);
    const told = new Promise((resolve) => process.once("SIGTERM", () => { clearInterval(stay); resolve(3); }));
    console.log("ready", process.versions.node.split(".")[0], ...args);
    return told;
  }`);
  const child = spawn(process.execPath, ["--import", looksOld, launcher, "up"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  assert.equal(line, "ready 24 up\n");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [3, null]);
});
