import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

const claim = { do: "claim", ok: true, text: "done" };
const writes = (file: string, content: string): string =>
  JSON.stringify({ attempts: [[{ do: "write", file, content }, claim]] });

const bench = new CliBench({
  "a.txt": "begin\n",
  "b.txt": "begin\n",
  "left.json": writes("a.txt", "left\n"),
  "right.json": writes("b.txt", "right\n"),
  "over.json": writes("a.txt", "over\n"),
  "waits.json": JSON.stringify({
    attempts: [[{ do: "write", file: "a.txt", content: "{attempt}\n" }, { do: "wait", file: "go" }, claim]],
  }),
  // Writes three files of which others change one; given out again it takes their changes in.
  "wide.ts": `import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
export default ({ cwd, task, number }) => {
  const git = (...args) => execFileSync("git", ["-C", cwd, "-c", "user.name=w", "-c", "user.email=w@example.invalid", ...args]);
  if (number === 1) for (const name of ["b.txt", "c.txt", "d.txt"]) writeFileSync(cwd + "/" + name, "wide\\n");
  else git("merge", "-q", "-X", "theirs", /git merge ([0-9a-f]+)/.exec(task)?.[1] ?? "main");
  return "done";
};
`,
});
after(() => bench.close());
const config = (times: number, more = ""): string =>
  bench.write(
    "holdfast.yaml",
    `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: run }
conflict: { times: ${String(times)}, everyMs: 500 }
${more}agents:
  waits: { use: demo, script: ${bench.cwd}/waits.json }
  left: { use: demo, script: ${bench.cwd}/left.json }
  right: { use: demo, script: ${bench.cwd}/right.json }
  over: { use: demo, script: ${bench.cwd}/over.json }
  wide: { use: function, module: ${bench.cwd}/wide.ts }
`,
  );

const gitIn = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const inWork = (name: string): string => readFileSync(path.join(bench.cwd, name), "utf8");

before(() => {
  config(3);
  gitIn(bench.cwd, "init", "-q", "-b", "main");
  gitIn(bench.cwd, "add", "a.txt", "b.txt");
  gitIn(bench.cwd, "commit", "-qm", "begin");
});

const run = async (agent: string): Promise<void> => {
  const ran = await bench.call(["run", `be ${agent}`, "--agent", agent, "--id", agent]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
};
const accept = (name: string, ...more: string[]) => bench.call(["accept", name, ...more]);

interface Status {
  readonly overlaps: readonly { readonly run: string; readonly files: string[]; readonly command: string }[];
  readonly workspace: { readonly folder: string } | null;
  readonly status: string;
  readonly blocked: { readonly reason: string; readonly command: string } | null;
  readonly conflict: {
    readonly times: number;
    readonly files: string[];
    readonly overlapPct: number;
    readonly commands: string[];
  } | null;
}

test("W8 of agents in one repository disjoint changes merge, overlapping ones are found, and the third time the run blocks with both commands, which work", async () => {
  for (const agent of ["left", "right", "over"]) await run(agent);
  for (const agent of ["left", "right"]) {
    const taken = await accept(agent);
    assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  }
  assert.deepEqual([inWork("a.txt"), inWork("b.txt")], ["left\n", "right\n"]);

  for (const nth of [1, 2, 3]) {
    const refused = await accept("over");
    assert.notEqual(refused.code, 0);
    assert.match(refused.stdout + refused.stderr, /a\.txt|changed the same/, String(nth));
  }
  await bench.reaches("over", "blocked");
  const stuck = await bench.json<Status>(["status", "over"]);
  assert.equal(stuck.blocked?.reason, "conflict_loop");
  assert.match(stuck.blocked.command, /^holdfast accept over --resolution merge/);
  assert.deepEqual(
    [stuck.conflict?.times, stuck.conflict?.files, stuck.conflict?.overlapPct],
    [3, ["a.txt"], 100],
  );
  assert.match(
    stuck.conflict?.commands.join("\n") ?? "",
    /accept over --resolution merge[^]*\n.*reissue over --reason conflict/,
  );
  assert.equal(inWork("a.txt"), "left\n", "nothing of the user's was touched");

  const trees = gitIn(bench.cwd, "worktree", "list", "--porcelain");
  const tree = /worktree (.*)\n(?:HEAD.*\n)branch refs\/heads\/holdfast\/over/.exec(trees)?.[1] ?? "";
  const begun = await bench.call(pasted(stuck.blocked.command));
  assert.equal(begun.code, 5, begun.stdout + begun.stderr);
  assert.match(
    begun.stderr,
    /both sides are in .* now, with conflict markers \(a\.txt\); .*accept over --resolution merge/,
  );
  assert.match(readFileSync(path.join(tree, "a.txt"), "utf8"), /<<<<<<< /);
  const early = await accept("over", "--resolution", "merge");
  assert.match(early.stderr, /conflict markers are left in a\.txt/);
  const { conflict } = await bench.json<Status>(["status", "over"]);
  assert.equal(conflict?.times, 3, "asking for help is no further conflict");
  writeFileSync(path.join(tree, "a.txt"), "over and left\n");
  const merged = await bench.call(pasted(stuck.blocked.command));
  assert.equal(merged.code, 0, merged.stdout + merged.stderr);
  assert.deepEqual(
    [inWork("a.txt"), gitIn(bench.cwd, "status", "--porcelain", "-uno")],
    ["over and left\n", ""],
  );
});

test("W6 W8 with little in common the advice of the third time is to work it again on top, and reissue does so", async () => {
  await run("wide");
  bench.write("b.txt", "somebody\n");
  gitIn(bench.cwd, "commit", "-qam", "meanwhile");
  for (const nth of [1, 2, 3]) assert.notEqual((await accept("wide")).code, 0, String(nth));
  await bench.reaches("wide", "blocked");
  const { blocked, conflict } = await bench.json<Status>(["status", "wide"]);
  assert.match(blocked?.command ?? "", /^holdfast reissue wide --reason conflict/);
  assert.equal(conflict?.overlapPct, 33);
  const again = await bench.call(["reissue", "wide", "--reason", "conflict"]);
  assert.equal(again.code, 0, again.stderr);
  await bench.reaches("wide", "completed");
  const taken = await accept("wide");
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  assert.deepEqual([inWork("b.txt"), inWork("c.txt")], ["somebody\n", "wide\n"]);
});

test("W8 overlapping changes of two runs at work are shown before either is accepted; the one that began later gives way", async () => {
  config(1, "checkpoints: { everyMs: 500 }\n");
  const started = ["early", "late"];
  for (const id of started) {
    const { code, stderr } = await bench.call(["run", "wait", "--agent", "waits", "--id", id, "--detach"]);
    assert.equal(code, 0, stderr);
    await bench.receives(id, `holdfast/${id}`);
  }
  await bench.receives("early", '"peers":[{"run":"late"');
  await bench.receives("late", '"peers":[{"run":"early"');
  const early = await bench.json<Status>(["status", "early"]);
  const late = await bench.json<Status>(["status", "late"]);
  assert.deepEqual(
    [...early.overlaps, ...late.overlaps].map(({ run: other, files }) => [other, files]),
    [
      ["late", ["a.txt"]],
      ["early", ["a.txt"]],
    ],
  );
  assert.equal(late.overlaps[0]?.command.startsWith("holdfast pause late"), true);
  const shown = await bench.call(["status", "late"]);
  assert.match(
    shown.stdout,
    /overlap +early has changed 1 of the same files \(100 %\), a\.txt: holdfast pause late/,
  );
  for (const { workspace } of [early, late]) writeFileSync(path.join(workspace?.folder ?? "", "go"), "");
  await bench.reaches("early", "completed");
  await bench.reaches("late", "blocked");
  const { blocked } = await bench.json<Status>(["status", "late"]);
  assert.equal(blocked?.reason, "conflict_loop");
  assert.match(blocked.command, /^holdfast accept late --resolution merge/);
  const taken = await accept("late", "--resolution", "merge");
  assert.equal(taken.code, 0, taken.stdout + taken.stderr);
  await bench.reaches("late", "completed");
});
