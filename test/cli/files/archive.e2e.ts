import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { bench as runtimeBench, step } from "../../runtime/worked-run.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(4);

const bench = new CliBench();
const CRASH_POINTS = [
  "journal.claim.before",
  "journal.claim.after",
  "archive.write.before",
  "archive.write.after",
  "journal.archive.before",
  "journal.archive.after",
];
const killedRun = (point: string): string => `killed-${point.replaceAll(".", "-")}`;
const archiveFolder = path.join(bench.home, "archive");

/** Completed runs, and one that never ends, written by the real runtime in this process. */
async function makeRuns(): Promise<void> {
  assert.equal((await bench.call(["run", "say hello", "--agent", "demo", "--id", "hello"])).code, 0);
  const journal = await openSqliteJournal({ file: bench.store, world: realWorld() });
  const on = runtimeBench({ quick: () => "done" }, { journal });
  for (const id of ["one", "two", "twin", ...CRASH_POINTS.map(killedRun)]) {
    const held = await on.create([step("work", "quick")], undefined, id);
    await on.supervisor({ only: id, held }).work();
  }
  const queued = await on.create([step("work", "quick")], undefined, "queued");
  await on.leases.release("queued", queued.epoch);
  await on.close();
}
before(makeRuns);
after(() => bench.close());

interface Archived {
  readonly archived: { run: string; file: string; events: number }[];
}

const runsNow = async (): Promise<string[]> =>
  (await bench.json<{ runs: { run: string }[] }>(["runs"])).runs.map(({ run }) => run).sort();

const filesOf = (run: string): string[] =>
  existsSync(archiveFolder)
    ? readdirSync(archiveFolder).filter((name) => name.startsWith(`${run}.`) && name.endsWith(".jsonl"))
    : [];

test("J9 a dry run names what would be archived and does nothing", async () => {
  const runs = await runsNow();
  const plan = await bench.json<{ wouldArchive: { run: string }[] }>([
    "archive",
    "--older-than",
    "0d",
    "--dry-run",
  ]);
  assert.deepEqual(
    plan.wouldArchive.map(({ run }) => run).sort(),
    runs.filter((run) => run !== "queued"),
  );
  assert.deepEqual(await runsNow(), runs);
  assert.equal(existsSync(archiveFolder), false);
  const old = await bench.json<{ wouldArchive: unknown[] }>(["archive", "--older-than", "1h", "--dry-run"]);
  assert.deepEqual(old.wouldArchive, []);
});

test("J9 P4 a run that has not ended is refused with the states in which it would not be, and nothing is begun", async () => {
  const runs = await runsNow();
  const { code, stderr } = await bench.call(["archive", "one", "queued"]);
  assert.equal(code, 5, stderr);
  assert.match(
    stderr,
    /queued is queued, and only runs that are completed, failed or cancelled are archived/,
  );
  assert.deepEqual(await runsNow(), runs);
  assert.deepEqual(filesOf("one"), []);
});

test("P4 archive without anything named, with both, with a strange age, or an unknown run says what was expected", async () => {
  const cases: [string[], number, RegExp][] = [
    [["archive"], 2, /name runs, or give --older-than 30d/],
    [["archive", "one", "--older-than", "1d"], 2, /one or the other/],
    [["archive", "--older-than", "soon"], 2, /'soon' is invalid.*such as 30d/],
    [["archive", "nope-nope"], 4, /there is no run "nope-nope"/],
    [["archive", "one", "--to", path.join(bench.store, "x")], 2, /cannot be made/],
  ];
  for (const [args, expected, says] of cases) {
    const { code, stderr } = await bench.call(args);
    assert.equal(code, expected, stderr);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^\s+at /m);
  }
  assert.ok((await runsNow()).includes("one"));
});

test("J9 archived runs leave the store, verify and replay from their files, and their ids may be used again", async () => {
  const before = await bench.json<{ steps: unknown; result: unknown }>(["status", "one"]);
  const { archived } = await bench.json<Archived>(["archive", "one", "two"]);
  assert.deepEqual(archived.map(({ run }) => run).sort(), ["one", "two"]);
  const file = archived.find(({ run }) => run === "one")?.file ?? "";
  assert.equal((await bench.call(["status", "one"])).code, 4);
  assert.equal((await bench.json<{ ok: boolean }>(["verify", file])).ok, true);
  const replayed = await bench.json<{ steps: unknown; result: unknown }>(["replay", file]);
  assert.deepEqual([replayed.steps, replayed.result], [before.steps, before.result]);
  assert.equal((await bench.json<{ ok: boolean }>(["verify"])).ok, true, "the store opens as whole");
  assert.equal((await bench.call(["run", "say hello", "--agent", "demo", "--id", "one"])).code, 0);
  const again = await bench.json<Archived>(["archive", "one"]);
  assert.notEqual(again.archived[0]?.file, file);
  assert.equal(filesOf("one").length, 2);
});

test("J9 a damaged archive of an earlier try is written again, never trusted", async () => {
  const to = path.join(bench.cwd, "kept");
  const crash = { env: { HOLDFAST_CRASH_AT: "journal.archive.before#1" } };
  assert.equal((await bench.call(["archive", "twin", "--to", to], crash)).signal, "SIGKILL");
  const [name = ""] = readdirSync(to);
  const file = path.join(to, name);
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.replace('"quick"', '"quack"'));
  assert.equal((await bench.call(["archive", "twin", "--to", to])).code, 0);
  assert.deepEqual(readdirSync(to), [name]);
  assert.equal((await bench.call(["verify", file])).code, 0);
});

test("J9 killed at any instant of archiving, the run is in the store or whole in its file, and asking again goes on", async (t) => {
  for (const point of CRASH_POINTS) {
    const run = killedRun(point);
    const killed = await bench.call(["archive", run], { env: { HOLDFAST_CRASH_AT: `${point}#1` } });
    assert.equal(killed.signal, "SIGKILL", `${point} was not passed: ${killed.stderr}`);
    const inStore = (await runsNow()).includes(run);
    const [file] = filesOf(run);
    assert.ok(inStore || file !== undefined, `${point}: it is nowhere`);
    assert.equal(inStore, point !== "journal.archive.after", point);
    if (file !== undefined)
      assert.equal((await bench.call(["verify", path.join(archiveFolder, file)])).code, 0);
    assert.equal((await bench.call(["verify"])).code, 0, `${point}: the store is not whole`);
    const again = await bench.call(["archive", run]);
    assert.equal(again.code, inStore ? 0 : 4, `${point}: ${again.stderr}`);
    assert.equal((await runsNow()).includes(run), false);
    assert.equal(filesOf(run).length, 1);
  }
  t.diagnostic(`${String(CRASH_POINTS.length)} kills`);
});
