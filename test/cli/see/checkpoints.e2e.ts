import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, truncateSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { CliBench } from "../cli-process.ts";

const claim = { do: "claim", ok: true, text: "done" };
const FLOW = `name: two
steps:
  - { name: first, task: write one, agent: first }
  - { name: second, task: write two, agent: second, needs: [first] }
`;

const bench = new CliBench({
  "first.json": JSON.stringify({ attempts: [[{ do: "write", file: "one", content: "1\n" }, claim]] }),
  "second.json": JSON.stringify({
    attempts: [
      [
        { do: "append", file: "one", line: "{attempt}: {task}" },
        { do: "write", file: "two", content: "2\n" },
        claim,
      ],
    ],
  }),
  "flow.yaml": FLOW,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: none }
agents:
  first: { use: demo, script: first.json }
  second: { use: demo, script: second.json }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  });
const inWork = (name: string): string => path.join(bench.cwd, name);

interface Listed {
  readonly checkpoints: readonly {
    readonly id: string;
    readonly cause: string;
    readonly files: number;
    readonly branch: string | null;
    readonly note: string | null;
  }[];
}

test("W2 W3 a run in a repository is kept at each transition, and put back to any of them: files, steps, and what its agents receive", async () => {
  git("init", "-q", "-b", "work");
  git("add", "flow.yaml");
  git("commit", "-qm", "begin");
  writeFileSync(inWork("tool"), "#!/bin/sh\n");
  chmodSync(inWork("tool"), 0o755);
  const before = [
    git("rev-parse", "HEAD"),
    git("for-each-ref"),
    git("status", "--porcelain"),
    git("stash", "list"),
  ];
  const ran = await bench.call(["run", "--flow", "flow.yaml", "--id", "kept"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  rmSync(inWork("one"));
  rmSync(inWork("two"));
  assert.deepEqual(
    [git("rev-parse", "HEAD"), git("for-each-ref"), git("status", "--porcelain"), git("stash", "list")],
    before,
    "nothing of the user's repository was touched",
  );

  const { checkpoints } = await bench.json<Listed>(["checkpoints", "kept"]);
  assert.deepEqual(
    checkpoints.map(({ cause }) => cause),
    ["before_step", "after_step", "after_step"],
  );
  assert.equal(checkpoints[0]?.branch, "work");
  const diff = await bench.call(["checkpoints", "kept", "--diff", "c1", "c3"]);
  assert.match(diff.stdout, /added\s+one\n/);
  assert.match(diff.stdout, /added\s+two\n/);

  writeFileSync(inWork("mine"), "not in any checkpoint yet\n");
  const restored = await bench.call(["restore", "kept", "c2"]);
  assert.equal(restored.code, 0, restored.stdout + restored.stderr);
  assert.match(restored.stdout, /^ {2}removed {2}mine\n {2}changed {2}one$/m);
  assert.match(restored.stdout, /is kept as c4; undo this with: holdfast restore kept c4\n/);
  await bench.reaches("kept", "paused");
  await untilRestored("kept", 1);
  assert.equal(readFileSync(inWork("one"), "utf8"), "1\n");
  assert.equal(existsSync(inWork("two")), false);
  assert.equal(existsSync(inWork("mine")), false);
  assert.equal(statSync(inWork("tool")).mode & 0o777, 0o755);
  const [put] = (await bench.eventsOf("kept")).flatMap((event) =>
    event.type === "RunRestored" ? [event.data] : [],
  );
  assert.deepEqual(put?.reopened, ["second"]);

  const resumed = await bench.call(["resume", "kept"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  await bench.reaches("kept", "completed");
  assert.match(readFileSync(inWork("one"), "utf8"), /second#2: write two[^]*put back to how they were at/);
  assert.equal(readFileSync(inWork("two"), "utf8"), "2\n");
});

test("W3 what was in the folder before a restore is a checkpoint itself", async () => {
  const { checkpoints } = await bench.json<Listed>(["checkpoints", "kept"]);
  const before = checkpoints.find(({ cause }) => cause === "before_restore");
  const restored = await bench.call(["restore", "kept", before?.id ?? ""]);
  assert.equal(restored.code, 0, restored.stdout + restored.stderr);
  await untilRestored("kept", 2);
  assert.equal(readFileSync(inWork("mine"), "utf8"), "not in any checkpoint yet\n");
  assert.equal(existsSync(inWork("one")), false);
});

test("W2 a checkpoint on demand has its note, and a checkpoint that does not exist is named", async () => {
  const asked = await bench.call(["checkpoint", "kept", "--note", "before lunch"]);
  assert.equal(asked.code, 0, asked.stderr);
  const last = async (): Promise<string | null> =>
    (await bench.json<Listed>(["checkpoints", "kept"])).checkpoints.at(-1)?.note ?? null;
  while ((await last()) !== "before lunch") await new Promise((resolve) => setTimeout(resolve, 100));
  const wrong = await bench.call(["restore", "kept", "c99"]);
  assert.equal(wrong.code, 5);
  assert.match(wrong.stderr, /there is no checkpoint c99; there are: c1/);
  const pair = await bench.call(["checkpoints", "kept", "--diff", "c1"]);
  assert.equal(pair.code, 2);
  assert.match(pair.stderr, /expected two checkpoints/);
});

async function untilRestored(run: string, times: number): Promise<void> {
  while ((await bench.eventsOf(run)).filter(({ type }) => type === "RunRestored").length < times)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

test("W2 W3 a path that no checkpoint holds is named by checkpoints, status and restore, which waits until the files are back and does not call it whole", async () => {
  // Larger than a checkpoint keeps of one file.
  writeFileSync(inWork("huge"), "");
  truncateSync(inWork("huge"), 65 * 2 ** 20);
  const ran = await bench.call(["run", "write one", "--agent", "first", "--id", "partly"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match((await bench.call(["checkpoints", "partly"])).stdout, /NOT KEPT[^]*huge \(too large\)/);
  assert.match(
    (await bench.call(["status", "partly"])).stdout,
    /not kept +in any checkpoint: huge \(too large\)/,
  );
  writeFileSync(inWork("one"), "changed\n");
  const { outcome, text, leftPaths } = await bench.json<{
    outcome: string;
    text: string;
    leftPaths: string[];
  }>(["restore", "partly"]);
  assert.equal(readFileSync(inWork("one"), "utf8"), "1\n", "the files are back when the command answers");
  assert.deepEqual([outcome, leftPaths], ["partly", ["huge (not kept)"]]);
  assert.match(text, /^partly put back to c\d+: .*; not put back: huge \(not kept\)/);
});
