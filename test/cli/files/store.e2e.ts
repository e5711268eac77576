import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(1);

const bench = new CliBench();
before(async () => {
  for (const id of ["good", "bad"])
    assert.equal((await bench.call(["run", "say hello", "--agent", "demo", "--id", id])).code, 0);
});
after(() => bench.close());

/** A store beside the good one, changed by the test. */
function storeFile(name: string, content: string | Buffer): string {
  const file = path.join(bench.cwd, name);
  writeFileSync(file, content);
  return file;
}

test("O1 reading a store that is not there leaves no file behind", async () => {
  const fresh = new CliBench();
  assert.deepEqual(await fresh.json(["runs"]), { runs: [], shared: [], store: null });
  assert.equal((await fresh.call(["status"])).code, 4);
  assert.equal((await fresh.call(["status", "nope"])).code, 4);
  assert.equal((await fresh.call(["events"])).code, 4);
  assert.equal((await fresh.call(["verify"])).code, 4);
  assert.equal((await fresh.call(["doctor"])).code, 0);
  assert.equal((await fresh.call(["down"])).code, 0);
  assert.equal(existsSync(fresh.home), false);
  await fresh.close();
});

test("O1 a store that cannot be used exits 6, names the file and leaves it as it was", async () => {
  const foreign = path.join(bench.cwd, "foreign.db");
  const db = new DatabaseSync(foreign);
  db.exec("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
  db.close();
  const files = [
    foreign,
    storeFile("text.db", "this is no database at all, only text\n"),
    storeFile("empty.db", ""),
  ];
  for (const file of files) {
    const before = readFileSync(file);
    for (const command of [["runs"], ["status", "x"], ["run", "g", "--agent", "demo"], ["verify"], ["up"]]) {
      const { code, stderr } = await bench.call([...command, "--store", `sqlite:${file}`]);
      assert.equal(code, 6, `${command.join(" ")} ${file}: ${stderr}`);
      assert.ok(stderr.includes(file), stderr);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
    assert.deepEqual(readFileSync(file), before);
  }
});

test("O1 a store in a folder that cannot be made exits 6", async () => {
  storeFile("a-file", "x");
  const { code, stderr } = await bench.call(["run", "g", "--agent", "demo"], {
    env: { HOLDFAST_HOME: path.join(bench.cwd, "a-file", "home") },
  });
  assert.equal(code, 6);
  assert.match(stderr, /a-file/);
});

test("O1 a store in a folder that is none exits 6", async () => {
  mkdirSync(path.join(bench.cwd, "folder.db"));
  const { code } = await bench.call(["runs", "--store", `sqlite:${path.join(bench.cwd, "folder.db")}`]);
  assert.equal(code, 6);
});

test("O1 G3 a damaged journal is reported with the run, the event and what is wrong; other runs are as good as before", async () => {
  const db = new DatabaseSync(bench.store);
  const table = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%event%'")
    .get() as { name: string };
  const changed = db
    .prepare(
      `UPDATE ${table.name} SET data = replace(data, 'hello', 'hullo') WHERE key = (SELECT run_key << 32 | 1 FROM runs WHERE run = 'bad')`,
    )
    .run();
  assert.equal(changed.changes, 1);
  db.close();

  const verified = await bench.json<{ ok: boolean; damages: { run: string; seq: number; what: string }[] }>(
    ["verify", "bad"],
    6,
  );
  assert.deepEqual([verified.ok, verified.damages[0]?.run, verified.damages[0]?.seq], [false, "bad", 1]);
  assert.equal((await bench.call(["verify"])).code, 6);
  const status = await bench.json<{
    goal: string;
    createdAt: string;
    status: string;
    blocked: { reason: string; command: string };
  }>(["status", "bad"], 6);
  assert.notEqual(status.goal, "");
  assert.ok(Date.now() - Date.parse(status.createdAt) < 3_600_000, `since ${status.createdAt}`);
  assert.deepEqual(
    [status.status, status.blocked.reason, status.blocked.command],
    ["blocked", "journal_damaged", "holdfast salvage bad"],
  );
  assert.equal((await bench.call(["events", "bad"])).code, 6);
  assert.equal((await bench.call(["why", "bad"])).code, 6);
  assert.equal((await bench.call(["cancel", "bad"])).code, 6);
  const doctor = await bench.json<{ checks: { name: string; state: string }[] }>(["doctor"], 1);
  assert.deepEqual(
    doctor.checks.filter(({ state }) => state === "fail").map(({ name }) => name),
    ["store"],
  );

  const good = await bench.json<{ ok: boolean; head: { hash: string } }>(["verify", "good"]);
  assert.match(good.head.hash, /^[0-9a-f]{64}$/);
  assert.equal((await bench.json<{ status: string }>(["status", "good"])).status, "completed");
});

test("P4 an unforeseen error is one line and how to report it; the stack only when asked for", async () => {
  const breaks = bench.write(
    "breaks.mjs",
    `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.existsSync = () => { throw new TypeError("boom"); }; syncBuiltinESMExports();`,
  );
  const env = { NODE_OPTIONS: `--import=${breaks}` };
  const plain = await bench.call(["runs"], { env });
  assert.equal(plain.code, 1);
  assert.match(plain.stderr, /^holdfast: something unforeseen happened: boom.*HOLDFAST_DEBUG=1.*\n$/);
  const debug = await bench.call(["runs"], { env: { ...env, HOLDFAST_DEBUG: "1" } });
  assert.match(debug.stderr, /TypeError: boom\n\s+at /);
});
