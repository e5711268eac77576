import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

const claim = { do: "claim", ok: true, text: "done" };
const writes = (file: string): string =>
  JSON.stringify({ attempts: [[{ do: "write", file, content: `${file}\n` }, claim]] });

const bench = new CliBench({
  "one.json": writes("one"),
  "two.json": writes("two"),
  "three.json": JSON.stringify({ attempts: [[{ do: "blocked", reason: "needs_human", text: "which?" }]] }),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: run }
agents:
  one: { use: demo, script: one.json }
  two: { use: demo, script: two.json }
  three: { use: demo, script: three.json }
commit: { author: Ada <ada@example.invalid> }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

const treeOf = async (run: string): Promise<string> =>
  (await bench.json<{ workspace: { folder: string } }>(["status", run])).workspace.folder;

const spoolsOf = (run: string): string[] =>
  readdirSync(`${bench.store}-sessions`).filter((name) => name.startsWith(`${run}.`));

interface Item {
  readonly run: string;
  readonly kind: string;
  readonly what: string;
  readonly bytes: number;
  readonly keptBecause: string | null;
}
const short = (items: readonly Item[]): string[] => items.map(({ run, kind }) => `${run} ${kind}`).sort();

before(async () => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
  for (const [run, agent, code] of [
    ["accepted", "one", 0],
    ["unaccepted", "two", 0],
    ["open", "three", 3],
  ] as const) {
    const ran = await bench.call(["run", "be left", "--agent", agent, "--id", run]);
    assert.equal(ran.code, code, ran.stdout + ran.stderr);
  }
  // As `accept` does, but by hand: the worktree stays.
  git("merge", "-q", "--ff-only", "holdfast/accepted");
});

test("W11 O1 gc lists what ended runs have left, with sizes and the reason of what stays, and does nothing by itself", async () => {
  const young = await bench.json<{ wouldRemove: Item[]; kept: Item[] }>(["gc"]);
  assert.deepEqual([young.wouldRemove, young.kept], [[], []], "they are not seven days old");
  const found = await bench.json<{ wouldRemove: Item[]; kept: Item[]; bytes: number }>([
    "gc",
    "--older-than",
    "0m",
  ]);
  assert.deepEqual(short(found.wouldRemove), [
    "accepted branch",
    "accepted spool",
    "accepted worktree",
    "unaccepted spool",
    "unaccepted worktree",
  ]);
  assert.deepEqual(short(found.kept), ["unaccepted branch"]);
  assert.match(found.kept[0]?.keptBecause ?? "", /not in your branch: holdfast accept unaccepted/);
  assert.ok(found.bytes > 0);
  assert.ok(existsSync(await treeOf("accepted")) && spoolsOf("accepted").length > 0);
  const text = await bench.call(["gc", "--older-than", "0m"]);
  assert.match(text.stdout, /5 would be removed, .*; nothing was done: holdfast gc --yes removes it/);
});

test("J4 P2 W11 gc may be killed at any boundary: asked again it removes the rest, and nothing that was not accepted or kept in a snapshot", async (t) => {
  const points = ["gc.tree.before", "gc.branch.before", "gc.spool.before"];
  for (const point of points) {
    const killed = await bench.call(["gc", "--older-than", "0m", "--yes"], {
      env: { HOLDFAST_CRASH_AT: `${point}#1` },
    });
    assert.equal(killed.signal, "SIGKILL", point);
    assert.equal(git("show", "holdfast/unaccepted:two"), "two");
  }
  const trees = await Promise.all(["accepted", "unaccepted", "open"].map(treeOf));
  const done = await bench.call(["gc", "--older-than", "0m", "--yes"]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(
    trees.map((tree) => existsSync(tree)),
    [false, false, true],
    "of a run that is not over nothing goes",
  );
  assert.deepEqual([spoolsOf("accepted"), spoolsOf("unaccepted")], [[], []]);
  assert.ok(spoolsOf("open").length > 0);
  assert.equal(git("branch", "--list", "holdfast/accepted"), "");
  assert.deepEqual([git("show", "main:one"), git("show", "holdfast/unaccepted:two")], ["one", "two"]);
  const again = await bench.json<{ wouldRemove: Item[] }>(["gc", "--older-than", "0m", "--dry-run"]);
  assert.deepEqual(again.wouldRemove, []);
  t.diagnostic(`${String(points.length)} kills`);
});

test("W5 W11 a run whose worktree gc has removed is accepted as if it stood", async () => {
  const accepted = await bench.call(["accept", "unaccepted"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("show", "main:two"), "two");
  assert.ok(existsSync(path.join(bench.cwd, "two")));
});
