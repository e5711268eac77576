import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Recorded } from "../../src/model/events.ts";
import { CliBench } from "./cli-process.ts";

const claim = { do: "claim", ok: true, text: "done" };
const writes = (...files: string[]): string =>
  JSON.stringify({
    attempts: [[...files.map((file) => ({ do: "write", file, content: `${file}\n` })), claim]],
  });

const bench = new CliBench({
  "writer.json": writes("made.txt"),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  writer: { use: demo, script: writer.json }
  patient: { use: manual }
workspace:
  setup: 'echo "$HOLDFAST_PORT $HOLDFAST_BRANCH" > ../setup-of-$HOLDFAST_RUN; test ! -e "$HOLDFAST_PROJECT/broken"'
  run: "echo again >> ../runs-of-$HOLDFAST_RUN"
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  });

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

interface Status {
  readonly status: string;
  readonly workspace: {
    readonly folder: string;
    readonly branch: string | null;
    readonly ports: { readonly first: number; readonly count: number } | null;
    readonly waitsFor: string | null;
  };
  readonly blocked: { readonly reason: string; readonly command: string; readonly detail: string } | null;
}

const eventsOf = async (run: string): Promise<Recorded[]> =>
  (await bench.call(["events", run, "--json"])).stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recorded);

test("W1 a run in a worktree works on its own branch outside of the user's tree, with its setup done and ports of its own", async () => {
  const before = [git("rev-parse", "HEAD"), git("status", "--porcelain")];
  const ran = await bench.call(["run", "make it", "--agent", "writer", "--id", "apart", "--worktree"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const { workspace } = await bench.json<Status>(["status", "apart"]);
  const { folder, branch, ports } = workspace;
  assert.equal(branch, "holdfast/apart");
  assert.ok(!folder.startsWith(bench.cwd), folder);
  assert.equal(readFileSync(path.join(folder, "made.txt"), "utf8"), "made.txt\n");
  assert.ok(!existsSync(path.join(bench.cwd, "made.txt")));
  assert.deepEqual([git("rev-parse", "HEAD"), git("status", "--porcelain")], before);
  assert.equal(
    readFileSync(path.join(folder, "../setup-of-apart"), "utf8"),
    `${String(ports?.first)} holdfast/apart\n`,
  );
  assert.equal(readFileSync(path.join(folder, "../runs-of-apart"), "utf8"), "again\n");
  const shown = await bench.call(["status", "apart"]);
  assert.match(shown.stdout, /worktree .* on branch holdfast\/apart, ports \d+-\d+/);
});

test("W1 G3 a setup that fails blocks the run with the command that helps, and that command works", async () => {
  writeFileSync(path.join(bench.cwd, "broken"), "");
  const ran = await bench.call(["run", "make it", "--agent", "writer", "--id", "unready", "--worktree"]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const { blocked } = await bench.json<Status>(["status", "unready"]);
  assert.equal(blocked?.reason, "dispatch_error");
  assert.match(blocked.detail, /setup command .* ended with exit code 1/);
  assert.equal(blocked.command, "holdfast retry unready");
  assert.ok(!(await eventsOf("unready")).some(({ type }) => type === "AttemptStarted"));
  execFileSync("rm", [path.join(bench.cwd, "broken")]);
  const again = await bench.call(["retry", "unready"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  await bench.reaches("unready", "completed");
});

test("W1 two runs never work in one tree: the second waits, says for whom, and begins when the first has ended", async () => {
  mkdirSync(path.join(bench.cwd, "sub"), { recursive: true });
  const first = await bench.call(["run", "by hand", "--agent", "patient", "--id", "holder", "--detach"]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await bench.hears("holder", "tree");
  const second = await bench.call(["run", "after it", "--agent", "writer", "--id", "waiter", "--detach"]);
  assert.equal(second.code, 0, second.stdout + second.stderr);
  await bench.hears("waiter", '"by":"holder"');
  const { workspace } = await bench.json<Status>(["status", "waiter"]);
  assert.equal(workspace.waitsFor, "holder");
  assert.ok(!(await eventsOf("waiter")).some(({ type }) => type === "AttemptStarted"));
  assert.equal((await bench.call(["cancel", "holder"])).code, 0);
  await bench.reaches("waiter", "completed");
});

test("W1 P4 a worktree that is asked for outside of a repository is refused, and why is said", async () => {
  const elsewhere = path.join(bench.root, "plain");
  mkdirSync(elsewhere);
  const ran = await bench.call(["run", "x", "--agent", "demo", "--worktree"], { cwd: elsewhere });
  assert.equal(ran.code, 2, ran.stdout + ran.stderr);
  assert.match(ran.stderr, /is in no git repository, and --worktree asks for a worktree/);
});
