import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { builtProgram } from "../../built-program.ts";
import { AGENTS } from "../agents.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(1);

const CONFIG = `agents:
  quick: { use: function, module: ./agents.mjs, export: quick }
  fails: { use: function, module: ./agents.mjs, export: hopeless }
`;
const bench = new CliBench({ "agents.mjs": AGENTS, "holdfast.yaml": CONFIG });
const at = (name: string): string => path.join(bench.cwd, name);

before(async () => {
  for (const id of ["good", "same"])
    assert.equal((await bench.call(["run", "do it", "--agent", "quick", "--id", id])).code, 0);
  await bench.call(["run", "do it", "--agent", "fails", "--id", "bad"]);
  assert.equal((await bench.call(["export", "good", "--out", "good.jsonl"])).code, 0);
});
after(() => bench.close());

test("J9 an export on stdout and one to a file say the same, and verify alike; the store is not needed for it", async () => {
  const { stdout } = await bench.call(["export", "good"]);
  const file = readFileSync(at("good.jsonl"), "utf8");
  assert.deepEqual(stdout.split("\n").slice(1), file.split("\n").slice(1));
  assert.deepEqual(
    readdirSync(bench.cwd).filter((name) => name.includes("partial")),
    [],
  );
  const elsewhere = { env: { HOLDFAST_HOME: at("no-home") } };
  const verified = await bench.call(["verify", "good.jsonl", "--json"], elsewhere);
  const { ok, run, events } = JSON.parse(verified.stdout) as Record<string, unknown>;
  assert.deepEqual([verified.code, ok, run, events], [0, true, "good", file.split("\n").length - 3]);
  assert.equal(existsSync(at("no-home")), false);
});

test("J9 verify reads standard input", () => {
  const program = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
  const options = { input: readFileSync(at("good.jsonl")), encoding: "utf8", cwd: bench.cwd } as const;
  const { status, stdout } = spawnSync(process.execPath, [program, "verify", "-"], options);
  assert.equal(status, 0);
  assert.match(stdout, /standard input: good, \d+ events are as they were written/);
});

test("J9 P4 verify names the first damage of a file by line, event and kind, and shows what is no export; never with a stack", async () => {
  const lines = readFileSync(at("good.jsonl"), "utf8").trimEnd().split("\n");
  const changed = lines.map((line, index) => (index === 3 ? line.replace('"at":1', '"at":2') : line));
  bench.write("changed.jsonl", `${changed.join("\n")}\n`);
  bench.write("cut.jsonl", `${lines.slice(0, 4).join("\n")}\n`);
  bench.write("empty.jsonl", "");
  bench.write("notes.txt", "remember the milk\n");
  bench.write("events.jsonl", `${lines.slice(1, 3).join("\n")}\n`);
  writeFileSync(at("image.jsonl"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x0a]));
  mkdirSync(at("folder.jsonl"));
  const cases: [string, number, RegExp][] = [
    ["changed.jsonl", 6, /changed\.jsonl is damaged at line 4, event 3: its content does not match its hash/],
    ["cut.jsonl", 6, /cut\.jsonl: the export is cut short after event 3 of \d+; \d+ events are missing/],
    ["empty.jsonl", 2, /is not an exported run: it is empty/],
    ["notes.txt", 2, /its first line is "remember the milk"/],
    ["events.jsonl", 2, /begins with an event/],
    ["image.jsonl", 2, /not a text file/],
    ["folder.jsonl", 2, /is a folder/],
    ["absent.jsonl", 4, /there is no file absent\.jsonl/],
  ];
  for (const [file, expected, says] of cases)
    for (const command of ["verify", "replay"]) {
      const { code, stdout, stderr } = await bench.call([command, file, "--json"]);
      assert.equal(code, expected, `${command} ${file}: ${stderr}`);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /^\s+at |unforeseen/m);
      const { error } = JSON.parse(stdout) as { error: { code: string; details: { line?: number } } };
      if (file === "changed.jsonl")
        assert.deepEqual([error.code, error.details.line], ["journal_damaged", 4]);
    }
});

test("P4 an export that cannot be written says so, leaves no part of it, and replaces nothing but a file", async () => {
  bench.write("kept.jsonl", "what was there before");
  const cases: [string[], number][] = [
    [["export", "good", "--out", "no/such/folder/x.jsonl"], 2],
    [["export", "good", "--out", "."], 2],
    [["export", "good", "--out", "/dev/null"], 2],
    [["export", "nope", "--out", "kept.jsonl"], 4],
  ];
  for (const [args, expected] of cases) {
    const { code, stderr } = await bench.call(args);
    assert.equal(code, expected, stderr);
    assert.match(stderr, /^holdfast: /);
  }
  assert.equal(readFileSync(at("kept.jsonl"), "utf8"), "what was there before");
  assert.deepEqual(
    readdirSync(bench.cwd).filter((name) => name.includes("partial")),
    [],
  );
});

interface Diff {
  readonly same: boolean;
  readonly parting: {
    a: { type: string };
    b: { type: string };
    differences: { path: string }[];
  };
  readonly steps: { step: string; same: boolean; a: { status: string }; b: { status: string } }[];
}

test("J9 two runs that did the same do not differ, regardless of their ids and times; a run and its export are one", async () => {
  for (const [a, b] of [
    ["good", "good.jsonl"],
    ["good", "same"],
  ] as const) {
    const diff = await bench.json<Diff>(["diff", a, b]);
    assert.equal(diff.same, true, JSON.stringify(diff.parting));
  }
  const { stdout } = await bench.call(["diff", "good", "same"]);
  assert.match(stdout, /they do not differ but for ids, times and hashes/);
});

test("J9 runs that part are reported with the first event at which they do, and with what became of each step", async () => {
  const diff = await bench.json<Diff>(["diff", "good.jsonl", "bad"]);
  assert.equal(diff.same, false);
  assert.deepEqual([diff.parting.a.type, diff.parting.b.type], ["RunCreated", "RunCreated"]);
  assert.ok(diff.parting.differences.some(({ path: place }) => place.includes("agent")));
  assert.deepEqual(
    diff.steps.map(({ same, a, b }) => [same, a.status, b.status]),
    [[false, "succeeded", "failed"]],
  );
  const { code, stdout } = await bench.call(["diff", "good", "bad"]);
  assert.equal(code, 0);
  assert.match(stdout, /they part at event 1/);
  assert.match(stdout, /work +succeeded, 1 attempt.*failed.*differs/);
  assert.equal((await bench.call(["diff", "good", "nope"])).code, 4);
  assert.equal((await bench.call(["diff", "-", "-"])).code, 2);
});

test("J9 replay folds a run and its export into what status shows, and into what was before", async () => {
  // Who supervises a run, and what is paused for all runs, is known only to those who look at the store.
  const { owner, supervision, store, paused, ...status } = await bench.json(["status", "good"]);
  assert.deepEqual([owner, supervision, store, paused], [null, null, null, []]);
  for (const from of ["good", "good.jsonl"]) {
    const { replay, next, ...view } = await bench.json<{ replay: unknown; next: unknown }>(["replay", from]);
    assert.equal(next, null);
    assert.deepEqual({ ...view, next }, status);
    assert.notEqual(replay, undefined);
    const early = await bench.json<{ status: string; position: number }>(["replay", from, "--at", "3"]);
    assert.deepEqual([early.status, early.position], ["running", 3]);
    const { code, stderr } = await bench.call(["replay", from, "--at", "999"]);
    assert.equal(code, 2);
    assert.match(stderr, /--at is 999, and good.* has events 1 to \d+/);
  }
});
