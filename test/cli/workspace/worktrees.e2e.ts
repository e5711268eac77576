import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { CliBench } from "../cli-process.ts";

const claim = { do: "claim", ok: true, text: "done" };
const writes = (...files: string[]): string =>
  JSON.stringify({
    attempts: [[...files.map((file) => ({ do: "write", file, content: `${file}\n` })), claim]],
  });

const bench = new CliBench({
  "writer.json": writes("made.txt"),
  "asks.json": JSON.stringify({
    attempts: [[{ do: "blocked", reason: "needs_human", text: "which?" }], [claim]],
  }),
  // Has commands of its own run by the one that uses git in the repository next.
  "hooks.ts": `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
export default () => {
  mkdirSync(${JSON.stringify("PROJECT")} + "/.git/hooks", { recursive: true });
  writeFileSync(${JSON.stringify("PROJECT")} + "/.git/hooks/post-commit", "#!/bin/sh\\nexit 0\\n", { mode: 0o755 });
  appendFileSync(${JSON.stringify("PROJECT")} + "/.git/config", "[core]\\n\\teditor = evil\\n");
  return "done";
};
`,
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
agents:
  writer: { use: demo, script: writer.json }
  patient: { use: manual }
  hooks: { use: function, module: hooks.ts }
  asks: { use: demo, script: asks.json }
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
  const hooks = path.join(bench.cwd, "hooks.ts");
  writeFileSync(hooks, readFileSync(hooks, "utf8").replaceAll("PROJECT", bench.cwd));
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
  assert.ok(!(await bench.eventsOf("unready")).some(({ type }) => type === "AttemptStarted"));
  execFileSync("rm", [path.join(bench.cwd, "broken")]);
  const again = await bench.call(["retry", "unready"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  await bench.reaches("unready", "completed");
});

test("W1 two runs never work in one tree: the second waits, says for whom, and begins when the first has ended", async () => {
  mkdirSync(path.join(bench.cwd, "sub"), { recursive: true });
  const first = await bench.call([
    "run",
    "by hand",
    "--agent",
    "patient",
    "--id",
    "holder",
    "--in-place",
    "--detach",
  ]);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  await bench.receives("holder", "tree");
  const second = await bench.call([
    "run",
    "after it",
    "--agent",
    "writer",
    "--id",
    "waiter",
    "--in-place",
    "--detach",
  ]);
  assert.equal(second.code, 0, second.stdout + second.stderr);
  await bench.receives("waiter", '"by":"holder"');
  const { workspace } = await bench.json<Status>(["status", "waiter"]);
  assert.equal(workspace.waitsFor, "holder");
  assert.match(
    (await bench.call(["status", "waiter"])).stdout,
    /holder, which holds .*: see what it needs \(holdfast status holder\), end it \(holdfast cancel holder\), or start this run with --worktree/,
  );
  assert.ok(!(await bench.eventsOf("waiter")).some(({ type }) => type === "AttemptStarted"));
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

test("W9 hooks and executed configuration of the repository that a worktree shares are brought back, and what was found is kept", async () => {
  const config = path.join(bench.cwd, ".git/config");
  const hook = path.join(bench.cwd, ".git/hooks/post-commit");
  const before = readFileSync(config);
  const ran = await bench.call(["run", "hook it", "--agent", "hooks", "--id", "hooks", "--worktree"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(existsSync(hook), false);
  assert.deepEqual(readFileSync(config), before);
  const found = (await bench.eventsOf("hooks")).flatMap(({ type, data }) =>
    type === "ProtectedFilesChanged" ? data.findings : [],
  );
  assert.deepEqual(found.map(({ path: name, act }) => [name, act]).sort(), [
    [".git/config", "edited"],
    [".git/hooks/post-commit", "created"],
  ]);
  const kept = found.map(({ found: digest }) =>
    readFileSync(path.join(`${bench.store}-sessions-trusted`, digest ?? ""), "utf8"),
  );
  assert.ok(
    kept.some((text) => text.includes("editor = evil")) && kept.some((text) => text.startsWith("#!")),
  );
});

test("W9 a person's own hook and configuration in the repository block a run in a worktree, and stay once they are trusted", async () => {
  const hook = path.join(bench.cwd, ".git/hooks/pre-push");
  const waits = await bench.call(["run", "ask", "--agent", "asks", "--id", "mine", "--worktree"]);
  assert.equal(waits.code, 3, waits.stdout + waits.stderr);
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\n", { mode: 0o755 });
  git("config", "core.editor", "vi");
  git("config", "user.name", "Ada");
  const unblocked = await bench.call(["unblock", "mine.e1"]);
  assert.equal(unblocked.code, 0, unblocked.stderr);
  await bench.reaches("mine", "blocked");
  const { blocked } = await bench.json<Status>(["status", "mine"]);
  assert.equal(blocked?.reason, "protected_files");
  const trusted = await bench.call(["trust", "mine", "--show-diff"]);
  assert.equal(trusted.code, 0, trusted.stderr);
  assert.match(trusted.stdout, /\.git\/hooks\/pre-push: created/);
  await bench.reaches("mine", "completed");
  assert.equal(readFileSync(hook, "utf8"), "#!/bin/sh\n");
  assert.equal(git("config", "core.editor").trim(), "vi");
});
