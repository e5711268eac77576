import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { valueRemover } from "../../../src/model/events/remove-value.ts";
import { CliBench, type Ended } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

/** Nobody knows it as a secret, and it has no shape: it gets through. */
const VALUE = "nobody knows «this» 31415";
const FORMS = valueRemover(VALUE).forms;
const PRINTED = `${VALUE}\n${JSON.stringify({ said: VALUE })}\n${Buffer.from(VALUE).toString("base64")}\n`;

const bench = new CliBench({
  "said.txt": PRINTED,
  "holdfast.yaml": JSON.stringify({
    agents: {
      says: { use: "command", command: ["cat", "said.txt"] },
      slow: { use: "command", command: ["sleep", "60"] },
    },
    mirrors: { humanTasks: true, status: true },
    supervisor: { idleExitMs: 300 },
    sandbox: { agents: "none" },
    checkpoints: { when: "always" },
  }),
});
const anchors = path.join(bench.root, "anchors");
const env = { HOLDFAST_ANCHOR: anchors };
const call = (...args: string[]): Promise<Ended> => bench.call(args, { env });
const valueFile = path.join(bench.root, "leaked");

before(async () => {
  writeFileSync(valueFile, `${VALUE}\n`);
  const ran = await call("run", `use ${VALUE} for it`, "--agent", "says", "--id", "leaky", "--trust");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
});
after(() => bench.close());

/** All bytes of the state folder and of the mirrors, trees and checkpoints aside. */
const holding = (): string[] =>
  [bench.home, path.join(bench.cwd, ".holdfast"), anchors]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name)),
    )
    .filter((file) => !file.includes("-trees/"))
    .filter((file) => FORMS.some((form) => readFileSync(file).includes(form)))
    .map((file) => path.basename(file));

interface Scrubbed {
  readonly found: { events: number[]; files: { file: string; count: number }[]; store: number };
  readonly exempt: { checkpoints: string[] };
  readonly record: { seq: number } | null;
  readonly left: { traces: number; runs: string[] };
}

const scrubbed = async (...args: string[]): Promise<Scrubbed> => {
  const ended = await call("scrub", "leaky", "--value-file", valueFile, "--json", ...args);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.deepEqual(
    FORMS.filter((form) => ended.stdout.includes(form)),
    [],
  );
  return JSON.parse(ended.stdout) as Scrubbed;
};

test("P5 P4 a value that is too short, given twice, or not given, an unknown run and an agent that asks are refused, and nothing changes", async () => {
  const short = path.join(bench.root, "short");
  writeFileSync(short, "1234567\n");
  const cases: [string[], number, RegExp, Record<string, string>?][] = [
    [["leaky", "--value-file", short], 2, /the value has 7 characters; expected at least 8/],
    [["leaky", "--value-file", valueFile, "--value-stdin"], 2, /expected one of them/],
    [["leaky"], 2, /there is no terminal to type the value in.*--value-stdin/],
    [["nope-nope", "--value-file", valueFile], 4, /there is no run "nope-nope"/],
    [
      ["leaky", "--value-file", valueFile, "--yes"],
      5,
      /is an agent and may not/,
      { HOLDFAST_ATTEMPT: "a#1" },
    ],
  ];
  const before = readFileSync(bench.store);
  for (const [args, code, says, more] of cases) {
    const ended = await bench.call(["scrub", ...args], { env: { ...env, ...more } });
    assert.equal(ended.code, code, args.join(" ") + ended.stdout + ended.stderr);
    assert.match(ended.stderr, says);
  }
  assert.ok(before.equals(readFileSync(bench.store)));
});

test("P5 without --yes it says where the value is, without printing it, and changes nothing", async () => {
  const hashes = (await bench.eventsOf("leaky")).map(({ hash }) => hash);
  const plan = await scrubbed();
  assert.equal(plan.record, null);
  assert.ok(plan.found.events.length >= 2 && plan.found.events[0] === 1, JSON.stringify(plan));
  assert.ok(plan.found.store > 0);
  const names = plan.found.files.map(({ file }) => path.basename(file));
  assert.ok(names.includes("out.spool") && names.includes("leaky.json"), names.join());
  assert.ok(plan.exempt.checkpoints.length > 0, "the checkpoint holds said.txt");
  assert.deepEqual(
    (await bench.eventsOf("leaky")).map(({ hash }) => hash),
    hashes,
  );
});

test("P5 A5 a value is removed from every byte that is kept, also where it is encoded; verify explains the changed history, and anchor and mark hold", async () => {
  const before = await bench.json<{ head: { seq: number; hash: string } }>(["verify", "leaky"]);
  const spool = path.join(`${bench.store}-sessions`, "leaky.work.1", "out.spool");
  const { size } = statSync(spool);
  const done = await scrubbed("--yes");
  assert.deepEqual(holding(), []);
  assert.deepEqual([done.left.traces, done.left.runs], [0, []]);
  assert.equal(statSync(spool).size, size);
  const verified = await call("verify", "leaky");
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(
    verified.stdout,
    new RegExp(`removed a value .*event ${String(before.head.seq)} was ${before.head.hash} and became`),
  );
  assert.doesNotMatch(verified.stdout, /interrupted/);
  assert.equal((await call("verify")).code, 0);
  const events = await bench.eventsOf("leaky");
  assert.match(JSON.stringify(events[0]), /use \[redacted: scrubbed\] for it/);
  assert.deepEqual(
    events.slice(-2).map(({ type }) => type),
    ["RunScrubbed", "ScrubFinished"],
  );
  assert.match((await call("logs", "leaky")).stdout, /\*{10}/);
  const again = await scrubbed("--yes");
  assert.deepEqual([again.record, again.found.events], [null, []]);
  assert.equal((await call("run", "do it", "--agent", "says", "--id", "later", "--trust")).code, 0);
});

test("A5 P5 another host, whose anchor does not know of the removal, refuses the store, names the record and accepts it on a person's word", async () => {
  const there = { HOLDFAST_ANCHOR: path.join(bench.root, "elsewhere") };
  const elsewhere = (...args: string[]): Promise<Ended> => bench.call(args, { env: there });
  assert.equal((await elsewhere("run", VALUE, "--agent", "says", "--id", "third", "--trust")).code, 0);
  const ended = await call("scrub", "third", "--value-file", valueFile, "--yes");
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const refused = await elsewhere("runs");
  assert.equal(refused.code, 6, refused.stdout);
  assert.match(
    refused.stderr,
    /event \d+ of third was .*removed a value with `holdfast scrub` on another host.*--accept-rollback/,
  );
  assert.equal((await elsewhere("verify", "--accept-rollback")).code, 0);
  assert.equal((await elsewhere("runs")).code, 0);
});

test("P5 a run that a supervisor works on is refused with the command that stops it, and is cleaned once it is stopped", async () => {
  const slow = bench.start(["run", VALUE, "--agent", "slow", "--id", "busy", "--trust"], { env });
  await bench.reaches("busy", "running");
  const refused = await call("scrub", "busy", "--value-file", valueFile, "--yes");
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(refused.stderr, /a supervisor works on busy.*`holdfast down`/);
  slow.child.kill("SIGKILL");
  await slow.ended;
  const done = await call("scrub", "busy", "--value-file", valueFile, "--yes");
  assert.equal(done.code, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /removed;.*\n.*recorded as event \d+/);
  assert.match(done.stdout, /^later holds it too: holdfast scrub later$/m);
  assert.equal((await call("cancel", "busy")).code, 0);
});
