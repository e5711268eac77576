import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { benchWorld } from "../../../bench/harness/bench-world.ts";
import { createRuns } from "../../../bench/sides/journal-writer.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

/** `status` of the package: by its launcher, which asks the short program first, and by the whole program alone. */
const REPOSITORY = path.resolve(import.meta.dirname, "../../..");
const LAUNCHER = path.join(REPOSITORY, "bin/holdfast.js");
const QUICK = path.join(REPOSITORY, "dist/quick-status.cjs");
const WHOLE = `import(${JSON.stringify(pathToFileURL(path.join(REPOSITORY, "dist/main.js")).href)})
  .then(({ main }) => main(process.argv.slice(1))).then((code) => (process.exitCode = code))`;
const BY_QUICK = `require(${JSON.stringify(QUICK)}).quickStatus(process.argv.slice(1))
  .then((code) => process.stderr.write(code === null ? "beyond" : "answered"))`;

const root = mkdtempSync(path.join(tmpdir(), "holdfast-quick-status-"));
const home = path.join(root, "home");
const one = path.join(root, "one.db");
const two = path.join(root, "two.db");
const env = { PATH: process.env["PATH"] ?? "", HOME: root, HOLDFAST_HOME: home, TZ: "UTC" };

const node = (args: readonly string[], more: Record<string, string> = {}) =>
  spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...env, ...more },
    encoding: "utf8",
    timeout: 120_000,
  });

async function makeStore(file: string, runs: number): Promise<void> {
  const journal = await openSqliteJournal({ file, world: benchWorld });
  for (const writer of await createRuns(journal, "run", runs)) {
    await writer.growTo(50, 50);
    // An owner would be lost some seconds later, between two calls that are compared.
    await journal.release(writer.run, (await journal.lease(writer.run))?.epoch ?? 0);
  }
  await journal.close();
}

before(async () => {
  await makeStore(one, 1);
  await makeStore(two, 2);
});
after(() => rmSync(root, { recursive: true, force: true }));

/** What the clock changes between two calls. */
const still = (text: string): string =>
  text
    .replaceAll(/\d+(?:\.\d+)? (?:ms|s|min|h)\b/g, "N s")
    .replaceAll(/"(usedMs|beatAgeMs|idleMs|\w+Ms)": \d+/g, '"$1": N');

/** Both print the same, byte by byte, and end with the same code. */
function assertSame(words: readonly string[], more: Record<string, string> = {}): void {
  const short = node([LAUNCHER, "status", ...words], more);
  const whole = node(["-e", WHOLE, "--", "status", ...words], more);
  const seen = ({ stdout, stderr, status }: typeof short) => ({
    stdout: still(stdout),
    stderr: still(stderr),
    status,
  });
  assert.deepEqual(seen(short), seen(whole), words.join(" "));
}

const answeredBy = (words: readonly string[], more: Record<string, string> = {}): string =>
  node(["-e", BY_QUICK, "--", "status", ...words], more).stderr;

test("P4 the short program answers status of open runs, with the same bytes as the whole one", () => {
  const stored = ["--store", `sqlite:${one}`];
  const asked = [
    stored,
    [...stored, "--json"],
    [...stored, "run_0"],
    [...stored, "run_0", "--json"],
    ["--store", `sqlite:${two}`],
    ["--store", `sqlite:${two}`, "--json"],
  ];
  for (const words of asked) {
    assert.equal(answeredBy(words), "answered", words.join(" "));
    assertSame(words);
  }
});

test("P4 it shows what happened since the last call, and a store that is stopped", () => {
  const changed = path.join(root, "changed.db");
  for (const suffix of ["", "-ack"]) copyFileSync(`${one}${suffix}`, `${changed}${suffix}`);
  const words = ["--store", `sqlite:${changed}`];
  assertSame(words);
  assert.match(node([LAUNCHER, "stop", "--all", ...words]).stdout, /nothing starts/);
  assert.match(node([LAUNCHER, "status", ...words]).stdout, /stopped/);
  assertSame(words);
  assertSame([...words, "--json"]);
});

test("P4 what it cannot answer is answered by the whole program", () => {
  const stored = ["--store", `sqlite:${one}`];
  const beyond: (readonly [string[], Record<string, string>?])[] = [
    [["--store", `sqlite:${path.join(root, "none.db")}`]],
    [[...stored, "run_9"]],
    [[...stored, "run_0", "run_1"]],
    [["--help"]],
    [["--store", "mysql:runs"]],
    [stored, { HOLDFAST_CRASH_AT: "nonsense" }],
    [[], { HOLDFAST_SERVER: "http://127.0.0.1:9", HOLDFAST_TOKEN: "none" }],
  ];
  for (const [words, more] of beyond) {
    assert.equal(answeredBy(words, more), "beyond", words.join(" "));
    assertSame(words, more);
  }
});

test("P4 a damaged journal is reported as the whole program reports it", () => {
  const damaged = path.join(root, "damaged.db");
  for (const suffix of ["", "-ack"]) copyFileSync(`${one}${suffix}`, `${damaged}${suffix}`);
  const db = new DatabaseSync(damaged);
  db.exec("UPDATE events SET data = replace(data, 'third', 'fourth') WHERE rowid % 4294967296 = 20");
  db.close();
  const words = ["--store", `sqlite:${damaged}`];
  assert.equal(answeredBy(words), "beyond");
  assert.match(node([LAUNCHER, "status", ...words]).stderr, /damaged at event 20/);
  assertSame(words);
  assertSame([...words, "--json"]);
});

test("P4 a configuration of the host, right or wrong, is the whole program's", () => {
  mkdirSync(home, { recursive: true });
  const words = ["--store", `sqlite:${one}`];
  for (const text of ["lease: { ms: 40s }\n", "lease: { mss: 1 }\n", "lease: [\n"]) {
    writeFileSync(path.join(home, "holdfast.yaml"), text);
    assert.equal(answeredBy(words), "beyond", text);
    assertSame(words);
  }
  rmSync(path.join(home, "holdfast.yaml"));
});

test("P4 what Node made of it is kept in the state folder alone, and made again where it is broken", () => {
  rmSync(home, { recursive: true, force: true });
  const words = ["--store", `sqlite:${one}`];
  assertSame(words);
  assert.ok(!existsSync(home), "a look makes no state folder");
  mkdirSync(home);
  assertSame(words);
  const folder = path.join(home, "cache");
  const [kept = "", ...others] = readdirSync(folder);
  assert.match(kept, /^status-[0-9a-f]{32}-v\d/);
  assert.deepEqual(others, []);
  writeFileSync(path.join(folder, kept), "no code");
  writeFileSync(path.join(folder, "status-of-another-version"), "");
  assertSame(words);
  assert.deepEqual(readdirSync(folder), [kept]);
  assertSame(words);
});
