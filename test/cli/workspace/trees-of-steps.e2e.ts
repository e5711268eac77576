import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EventData, EventType, Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const flow = (...agents: string[]): string => `name: beside
roles:
${agents.map((name) => `  ${name}: { agent: ${name} }`).join("\n")}
  last: { agent: last }
steps:
${agents.map((name) => `  - { name: ${name}, role: ${name}, task: write, checks: [{ run: "true" }] }`).join("\n")}
  - { name: last, role: last, task: look, needs: [${agents.join(", ")}] }
`;

const bench = new CliBench({
  ".gitignore": "*.ignored\n",
  common: "one\ntwo\nthree\nfour\nfive\n",
  // Each waits until the other is at work too: one after the other they would never end.
  "meet.ts": `import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
const meeting = ${JSON.stringify("ROOT")} + "/meeting-";
const meet = async (run: string, mine: string, others: string): Promise<void> => {
  mkdirSync(meeting + run, { recursive: true });
  writeFileSync(meeting + run + "/" + mine, "");
  while (!existsSync(meeting + run + "/" + others)) await delay(20);
};
const edit = (cwd: string, from: string, to: string): void => {
  const file = cwd + "/common";
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
};
type Order = { readonly cwd: string; readonly run: string; readonly task: string };
export const left = async ({ cwd, run }: Order) => {
  writeFileSync(cwd + "/left", "left\\n");
  edit(cwd, "one", "ONE");
  await meet(run, "left", "right");
  return "done";
};
export const right = async ({ cwd, run }: Order) => {
  writeFileSync(cwd + "/right", "right\\n");
  writeFileSync(cwd + "/not.ignored", "kept all the same\\n");
  edit(cwd, "five", "FIVE");
  await meet(run, "right", "left");
  return "done";
};
/** Changes what the left one changes, and ends after it. */
export const same = async ({ cwd, run, task }: Order) => {
  const again = task.includes("others have changed the same");
  edit(cwd, again ? "ONE" : "one", again ? "ONE, and by the other" : "by the other");
  writeFileSync(cwd + "/../task-of-same", task);
  if (again) return "done";
  await meet(run, "right", "left");
  await meet(run, "right", "joined");
  return "done";
};
export const last = ({ cwd }: Order) => readFileSync(cwd + "/common", "utf8");
`,
  "half.json": JSON.stringify({
    attempts: [
      [
        { do: "write", file: "half", content: "begun\n" },
        { do: "write", file: "x.ignored", content: "not to be lost\n" },
        { do: "claim", ok: false, text: "cannot" },
      ],
    ],
  }),
  "mended.json": JSON.stringify({
    attempts: [
      [
        { do: "append", file: "mended", line: "first" },
        { do: "claim", ok: true, text: "done" },
      ],
      [
        { do: "append", file: "mended", line: "second" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  }),
  "disjoint.yaml": flow("left", "right"),
  "overlap.yaml": flow("left", "same"),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  left: { use: function, module: meet.ts, export: left }
  right: { use: function, module: meet.ts, export: right }
  same: { use: function, module: meet.ts, export: same }
  last: { use: function, module: meet.ts, export: last }
  half: { use: demo, script: half.json }
  mended: { use: demo, script: mended.json }
workspace:
  isolation: attempt
  setup: 'echo "$HOLDFAST_PORT $HOLDFAST_BRANCH" >> "$HOLDFAST_PROJECT/../setups-of-$HOLDFAST_RUN"'
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

before(() => {
  const module = path.join(bench.cwd, "meet.ts");
  writeFileSync(module, readFileSync(module, "utf8").replaceAll("ROOT", bench.root));
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

const dataOf = <Type extends EventType>(events: readonly Recorded[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** A file of a snapshot, from the store of the project. */
async function kept(tree = "", snapshot: string | null = null, file = ""): Promise<string> {
  const workspace = gitWorkspace({ home: `${bench.store}-sessions-trees`, world: realWorld() });
  try {
    const bytes = await workspace.readFile({ project: bench.cwd, tree }, snapshot ?? "", file);
    return Buffer.from(bytes ?? []).toString();
  } finally {
    await workspace.close();
  }
}

const show = (revision: string, file: string): string => git("show", `${revision}:${file}`);

test("W1 steps that write work at the same time, each in a worktree and on a branch of its own, and what is disjoint is merged onto the run's branch", async () => {
  const ran = await bench.call(["run", "both", "--flow", "disjoint.yaml", "--id", "beside"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const events = await bench.eventsOf("beside");
  const made = dataOf(events, "WorktreeCreated");
  assert.deepEqual(
    made.map(({ step, branch }) => [step, branch]),
    [
      [undefined, "holdfast/beside"],
      ["left", "holdfast/beside+left.1"],
      ["right", "holdfast/beside+right.2"],
      ["last", "holdfast/beside+last.3"],
    ],
  );
  assert.equal(new Set(made.map(({ tree }) => tree)).size, 4);
  assert.ok(made.every(({ tree }) => !tree.startsWith(bench.cwd)));
  // Different lines of one file merge; the step after them began from both.
  assert.equal(show("holdfast/beside", "common"), "ONE\ntwo\nthree\nfour\nFIVE");
  assert.equal(
    dataOf(events, "StepSucceeded").find(({ step }) => step === "last")?.result,
    "ONE\ntwo\nthree\nfour\nFIVE\n",
  );
  assert.deepEqual(git("ls-tree", "--name-only", "holdfast/beside", "left", "right").split("\n"), [
    "left",
    "right",
  ]);
  assert.deepEqual(
    dataOf(events, "WorkJoined")
      .map(({ how }) => how)
      .slice(0, 2),
    ["fast_forward", "merge"],
  );
  assert.equal(git("rev-parse", "main"), made[0]?.from);
  assert.equal(git("status", "--porcelain"), "");
  assert.deepEqual(git("tag", "--list").split("\n"), ["good/beside/left", "good/beside/right"]);
});

test("W1 each of these worktrees is set up with ports of its own, and removed once all of it is in a snapshot", async () => {
  const events = await bench.eventsOf("beside");
  const [run, ...trees] = dataOf(events, "WorktreeCreated");
  const reported = readFileSync(path.join(bench.root, "setups-of-beside"), "utf8").trim().split("\n");
  assert.deepEqual(
    reported,
    [run, ...trees].map((one) => `${String(one?.ports?.first)} ${String(one?.branch)}`),
  );
  assert.equal(new Set(trees.slice(0, 2).map(({ ports }) => ports?.first)).size, 2);
  const removed = new Map(dataOf(events, "WorktreeRemoved").map((one) => [one.tree, one.snapshot]));
  for (const { tree } of trees) {
    assert.equal(existsSync(tree), false);
    assert.ok(removed.has(tree), tree);
  }
  // What no commit holds, since git ignores it, is in the snapshot.
  const right = trees.find(({ step }) => step === "right");
  assert.equal(await kept(right?.tree, removed.get(right?.tree ?? ""), "not.ignored"), "kept all the same\n");
});

test("W1 W5 what such a run has made is accepted as one branch", async () => {
  const accepted = await bench.call(["accept", "beside"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "common"), "utf8"), "ONE\ntwo\nthree\nfour\nFIVE\n");
});

test("W1 W8 where two steps have changed the same, the later one is worked again on what the first has made, and knows where its own work is", async () => {
  git("checkout", "-q", "-B", "main", git("rev-list", "--max-parents=0", "main"));
  const running = bench.start(["run", "both", "--flow", "overlap.yaml", "--id", "overlap"]);
  await bench.receives("overlap", '"how":"fast_forward"');
  writeFileSync(path.join(bench.root, "meeting-overlap/joined"), "");
  const ran = await running.ended;
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const events = await bench.eventsOf("overlap");
  const [refused] = dataOf(events, "JoinRefused");
  assert.deepEqual([refused?.step, refused?.cause, refused?.files], ["same", "conflict", ["common"]]);
  assert.equal(show("holdfast/overlap", "common"), "ONE, and by the other\ntwo\nthree\nfour\nfive");
  // The folder is the same one, so that a conversation goes on in it; the branch is another.
  const made = dataOf(events, "WorktreeCreated").filter(({ step }) => step === "same");
  assert.equal(new Set(made.map(({ tree }) => tree)).size, 1);
  assert.equal(made.length, 2);
  const reported = readFileSync(path.join(path.dirname(made[0]?.tree ?? ""), "task-of-same"), "utf8");
  const [, work = ""] = /in the commit ([0-9a-f]+), on the branch/.exec(reported) ?? [];
  assert.equal(work, refused?.work);
  assert.equal(show(work, "common"), "by the other\ntwo\nthree\nfour\nfive");
});

test("W1 W11 the work of an attempt that failed stays in its worktree, and is shown by status", async () => {
  const ran = await bench.call(["run", "half of it", "--agent", "half", "--id", "half"]);
  assert.notEqual(ran.code, 0, ran.stdout + ran.stderr);
  const { workspace } = await bench.json<{
    readonly workspace: { readonly trees: { readonly step: string; readonly folder: string }[] };
  }>(["status", "half"]);
  const [own] = workspace.trees;
  assert.equal(readFileSync(path.join(own?.folder ?? "", "half"), "utf8"), "begun\n");
  const shown = await bench.call(["status", "half"]);
  assert.match(shown.stdout, /worktree .*of work: .* on branch holdfast\/half\+work\.1/);
  assert.equal(git("rev-parse", "holdfast/half"), git("rev-parse", "main"));
});

test("W1 an attempt after one that did not pass goes on in the worktree that it left", async () => {
  const ran = await bench.call([
    ...["run", "mend it", "--agent", "mended", "--id", "mended"],
    ...["--check", "grep -q second mended"],
  ]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(show("holdfast/mended", "mended"), "first\nsecond");
  const made = dataOf(await bench.eventsOf("mended"), "WorktreeCreated");
  assert.equal(made.length, 2);
  assert.equal(git("rev-list", "--count", "main..holdfast/mended"), "1");
});
