import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { CliBench, isAlive } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const bench = new CliBench();
after(() => bench.close());

const log = path.join(bench.root, "log");
const go = path.join(bench.root, "go");
const folder = path.join(bench.root, "backup");

/** Each notes which attempt it is. */
const agent = (script: string): string =>
  `{ use: command, sandbox: none, command: [sh, -c, 'echo "$HOLDFAST_ATTEMPT" >> "${log}"; ${script}'] }`;
bench.write(
  "holdfast.yaml",
  `backoff: { baseMs: 1, capMs: 1 }
attempts: { perStep: 1 }
workspace: { isolation: run }
commit: { author: Ada <ada@example.invalid> }
agents:
  logs: ${agent("echo x >> made-first")}
  waits: ${agent(`while [ ! -e "${go}" ]; do sleep 0.1; done; echo y >> waited`)}
  mended: ${agent(`test -e "${go}" && echo z >> mended`)}
`,
);
bench.write(
  "two.yaml",
  `name: two
steps:
  - { name: first, task: log, agent: logs }
  - { name: second, task: wait, agent: waits, needs: [first] }
`,
);

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

before(async () => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
  const start = async (code: number, ...args: string[]): Promise<void> => {
    const ran = await bench.call(["run", "be kept", ...args]);
    assert.equal(ran.code, code, ran.stdout + ran.stderr);
  };
  await start(0, "--agent", "logs", "--id", "finished");
  await start(3, "--agent", "mended", "--id", "blocked");
  await start(0, "--flow", "two.yaml", "--id", "running", "--detach");
  await bench.receives("running", "second#1/StartAgent");
  for (const until = Date.now() + 60_000; !linesOf(log).includes("second#1");) {
    assert.ok(Date.now() < until, `the second step never began: ${linesOf(log).join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

/** The process that supervises the store. */
async function supervisor(): Promise<number> {
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  try {
    return (await system.host.holder())?.process.pid ?? assert.fail("nobody supervises");
  } finally {
    await system.close();
  }
}

const gone = async (pid: number): Promise<void> => {
  for (const until = Date.now() + 30_000; isAlive(pid) && Date.now() < until;)
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(!isAlive(pid));
};

/** Everything that belongs to the store, and nothing of the user's. */
const deleteStore = (): void => {
  for (const name of readdirSync(bench.home))
    if (name.startsWith("holdfast.db"))
      rmSync(path.join(bench.home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
};

const BACKUP_POINTS = ["backup.copy.before", "backup.copy.journal", "backup.named.before"];
const RESTORE_POINTS = ["restore-store.part.before", "restore-store.journal.before"];

test("J4 J9 P2 the process that makes a backup may be killed at any boundary: there is a whole backup, or none, and the next try makes it", async (t) => {
  for (const point of BACKUP_POINTS) {
    const killed = await bench.call(["backup", folder], { env: { HOLDFAST_CRASH_AT: `${point}#1` } });
    assert.equal(killed.signal, "SIGKILL", point);
    assert.ok(!existsSync(folder), `${point}: half a backup looks like a whole one`);
  }
  const named = await bench.call(["backup", `${folder}-2`], {
    env: { HOLDFAST_CRASH_AT: "backup.named.after#1" },
  });
  assert.equal(named.signal, "SIGKILL");
  assert.ok(existsSync(path.join(`${folder}-2`, "backup.json")));
  t.diagnostic(`${String(BACKUP_POINTS.length + 1)} kills`);
});

test("J9 P4 a backup is refused where its folder exists, there is no store, or the store is none in a file", async () => {
  const taken = await bench.call(["backup", bench.cwd]);
  assert.deepEqual([taken.code, /exists; name a folder that does not/.test(taken.stderr)], [5, true]);
  const none = await bench.call(["backup", folder, "--store", "sqlite:./nowhere.db"]);
  assert.deepEqual([none.code, /there is no store at/.test(none.stderr)], [4, true]);
  const other = await bench.call(["backup", folder, "--store", "postgres://me@127.0.0.1:1/x"]);
  assert.deepEqual([other.code, /use pg_dump/.test(other.stderr)], [5, true]);
});

test("J4 J9 a store that is backed up while it works and then lost is restored: runs continue, and nothing finished is redone", async (t) => {
  const made = await bench.json<{ runs: number; files: number }>(["backup", folder]);
  assert.ok(made.runs === 3 && made.files > 3, JSON.stringify(made));

  // Lost under a living supervisor: it is named, and nothing is put in its place.
  const pid = await supervisor();
  const left = await bench.call(["restore-store", folder]);
  assert.deepEqual([left.code, left.stderr.includes(`process ${String(pid)}`)], [5, true], left.stderr);
  process.kill(pid, "SIGKILL");
  await gone(pid);
  const there = await bench.call(["restore-store", folder]);
  assert.deepEqual([there.code, /exists, and no store is replaced/.test(there.stderr)], [5, true]);
  await bench.call(["pause", "running"]);
  await bench.call(["down", "--stop-agents"]);
  const last = linesOf(log);
  deleteStore();

  for (const point of RESTORE_POINTS) {
    const killed = await bench.call(["restore-store", folder], {
      env: { HOLDFAST_CRASH_AT: `${point}#1` },
    });
    assert.equal(killed.signal, "SIGKILL", point);
    assert.ok(!existsSync(bench.store), `${point}: half a store`);
  }
  const put = await bench.call(["restore-store", folder], {
    env: { HOLDFAST_CRASH_AT: "restore-store.journal.after#1" },
  });
  assert.deepEqual([put.signal, existsSync(bench.store)], ["SIGKILL", true]);
  deleteStore();
  const restored = await bench.json<{ runs: number }>(["restore-store", folder]);
  assert.equal(restored.runs, 3);
  const { runs } = await bench.json<{ runs: { run: string; status: string }[] }>(["runs"]);
  assert.deepEqual(Object.fromEntries(runs.map(({ run, status }) => [run, status])), {
    finished: "completed",
    blocked: "blocked",
    running: "running",
  });

  writeFileSync(go, "");
  assert.equal((await bench.call(["retry", "blocked"])).code, 0);
  await bench.call(["resume", "running"]);
  await bench.reaches("running", "completed");
  await bench.reaches("blocked", "completed");
  // What was under way is continued by a new attempt, the blocked one is tried again, and nothing else.
  assert.deepEqual(linesOf(log).slice(last.length).sort(), ["second#2", "work#2"]);
  assert.equal(git("show", "holdfast/running:made-first"), "x");
  assert.equal(git("show", "holdfast/running:waited"), "y");
  const verified = await bench.call(["verify"]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  t.diagnostic(`${String(RESTORE_POINTS.length)} kills`);
});

test("J9 P4 a backup with a changed or missing file is refused by the name of the file, and nothing is restored", async () => {
  const store = `sqlite:${path.join(bench.root, "elsewhere.db")}`;
  appendFileSync(path.join(`${folder}-2`, "journal.db"), "x");
  const changed = await bench.call(["restore-store", `${folder}-2`, "--store", store]);
  assert.deepEqual([changed.code === 0, /journal\.db was changed/.test(changed.stderr)], [false, true]);
  rmSync(path.join(`${folder}-2`, "journal.db"));
  const missing = await bench.call(["restore-store", `${folder}-2`, "--store", store]);
  assert.match(missing.stderr, /journal\.db is missing/);
  assert.ok(!existsSync(store.slice(7)));
  const none = await bench.call(["restore-store", bench.cwd, "--store", store]);
  assert.deepEqual([none.code, /is no backup/.test(none.stderr)], [4, true]);
});

test("J2 J9 a backup that is older than the anchor of its store is restored, and says which command accepts that", async () => {
  const anchors = { HOLDFAST_ANCHOR: path.join(bench.root, "anchors") };
  assert.equal(
    (await bench.call(["run", "x", "--agent", "demo", "--id", "later"], { env: anchors })).code,
    0,
  );
  await bench.call(["down", "--stop-agents"]);
  deleteStore();
  const restored = await bench.call(["restore-store", folder], { env: anchors });
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /next: holdfast verify --accept-rollback/);
  assert.notEqual((await bench.call(["runs"], { env: anchors })).code, 0);
  assert.equal((await bench.call(["verify", "--accept-rollback"], { env: anchors })).code, 0);
  assert.equal((await bench.call(["runs"], { env: anchors })).code, 0);
});
