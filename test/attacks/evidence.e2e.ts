import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { CliBench, isAlive } from "../cli/cli-process.ts";

/** Does the work, and leaves a process of its own session behind that undoes it a moment later, again and again. */
const AGENTS = `import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
const REWRITE = 'n=0; while [ ! -e "$0" ] && [ "$n" -lt 600 ]; do sleep 0.1; n=$((n + 1)); done; n=0; while [ "$n" -lt 200 ]; do sleep 0.1; echo "wrong $n" > answer.txt; n=$((n + 1)); done';
const leaves = (cwd, env, after) => {
  const child = spawn("setsid", ["sh", "-c", REWRITE, after], { cwd, stdio: "ignore", env });
  writeFileSync(path.join(cwd, "left.pid"), String(child.pid));
  child.unref();
};
const works = (cwd) => appendFileSync(path.join(cwd, "answer.txt"), "right\\n");
export async function leaver({ cwd }) { leaves(cwd, process.env, "checked"); works(cwd); return "done"; }
export async function hider({ cwd }) { leaves(cwd, { PATH: process.env.PATH }, "."); works(cwd); return "done"; }
export async function meddler() {
  appendFileSync(path.join(import.meta.dirname, "answer.txt"), "by the reviewer\\n");
  return { verdict: "pass", findings: [] };
}
export async function honest({ cwd }) { works(cwd); return "done"; }
`;

const bench = new CliBench({
  ".gitignore": "left.pid\nchecked\n",
  "agents.mjs": AGENTS,
  "holdfast.yaml": [
    "agents:",
    "  leaver: { use: function, module: agents.mjs, export: leaver }",
    "  hider: { use: function, module: agents.mjs, export: hider }",
    "  meddler: { use: function, module: agents.mjs, export: meddler }",
    "  honest: { use: function, module: agents.mjs, export: honest }",
    "backoff: { baseMs: 1, capMs: 1 }",
    "checks: { tries: 2, baseline: false }",
    "commit: { when: step, featureBranch: false }",
    "workspace: { lock: never }",
    "",
  ].join("\n"),
});

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

before(() => {
  git("init", "-q", "-b", "work");
  git("add", "-A");
  git("commit", "-qm", "begin");
});
beforeEach(() => {
  for (const name of ["left.pid", "checked", "answer.txt"])
    rmSync(path.join(bench.cwd, name), { force: true });
});
after(async () => {
  endLeft();
  await bench.close();
});

const leftPid = (): number => Number(readFileSync(path.join(bench.cwd, "left.pid"), "utf8"));

function endLeft(): void {
  if (!existsSync(path.join(bench.cwd, "left.pid"))) return;
  try {
    process.kill(-leftPid(), "SIGKILL");
  } catch {
    // It has ended.
  }
}

interface Status {
  readonly status: string;
  readonly reality: { readonly verdict: string; readonly digest?: string } | null;
  readonly blocked: { readonly detail: string } | null;
}

/** Goes on for a while after it has seen what it looks for. */
const CHECK = ["--check", "grep -q right answer.txt && touch checked && sleep 2"];

test("G6 W9 a process that an agent left in a session of its own is ended before evidence is taken, and what is committed is what was checked", async () => {
  const ended = await bench.call(["run", "it", "--agent", "leaver", ...CHECK, "--id", "left"]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal(isAlive(leftPid()), false);
  assert.equal(git("show", "HEAD:answer.txt"), "right");
  const events = await bench.eventsOf("left");
  const leftovers = events.flatMap((event) =>
    event.type === "EffectSettled" && event.data.outcome.kind === "done"
      ? (event.data.outcome.leftovers ?? [])
      : [],
  );
  assert.ok(leftovers.flatMap(({ pids }) => pids).includes(leftPid()), JSON.stringify(leftovers));
  const { reality } = await bench.json<Status>(["status", "left"]);
  assert.equal(reality?.verdict, "READY");
  const [checked] = events.filter(({ type }) => type === "StepChecked");
  assert.equal(checked?.type === "StepChecked" && checked.data.tree, reality.digest);
});

test("G6 W9 a process that hides itself and goes on rewriting brings no evidence, commit or tag about, and the files are named", async () => {
  const before = [git("rev-parse", "HEAD"), git("tag", "--list")];
  const ended = await bench.call([
    "run",
    "it",
    "--agent",
    "hider",
    "--check",
    "test -s answer.txt; sleep 0.3",
    "--id",
    "hidden",
  ]);
  endLeft();
  assert.notEqual(ended.code, 0, ended.stdout);
  const { status, blocked, reality } = await bench.json<Status>(["status", "hidden"]);
  assert.equal(status, "blocked");
  assert.match(blocked?.detail ?? "", /answer\.txt/);
  assert.notEqual(reality?.verdict, "READY");
  assert.deepEqual([git("rev-parse", "HEAD"), git("tag", "--list")], before);
});

test("G6 a reviewer that writes into the real tree by its path brings no acceptance about, and the file is named", async () => {
  const head = git("rev-parse", "HEAD");
  const order = ["run", "it", "--agent", "honest", "--check", "grep -q right answer.txt"];
  const ended = await bench.call([...order, "--reviewer", "meddler", "--id", "meddled"]);
  assert.notEqual(ended.code, 0, ended.stdout);
  const { status, blocked, reality } = await bench.json<Status>(["status", "meddled"]);
  assert.equal(status, "blocked");
  assert.match(blocked?.detail ?? "", /review by meddler[^]*answer\.txt/);
  assert.notEqual(reality?.verdict, "READY");
  assert.equal(git("rev-parse", "HEAD"), head);
});

test("G6 what a check writes itself counts only where it is declared; otherwise the files are named and nothing is committed", async () => {
  const flow = (writes: string) => `name: own
steps:
  - { name: make, task: make it, agent: honest, checks: [{ run: "date +%N >> report.txt && grep -q right answer.txt"${writes} }] }
`;
  bench.write("undeclared.yaml", flow(""));
  bench.write("declared.yaml", flow(", writes: [report.txt]"));
  git("add", "-A");
  git("commit", "-qm", "flows");
  const head = git("rev-parse", "HEAD");
  const refused = await bench.call(["run", "it", "--flow", "undeclared.yaml", "--id", "undeclared"]);
  assert.notEqual(refused.code, 0, refused.stdout);
  const { blocked } = await bench.json<Status>(["status", "undeclared"]);
  assert.match(blocked?.detail ?? "", /report\.txt/);
  assert.match(blocked?.detail ?? "", /`writes`/);
  assert.equal(git("rev-parse", "HEAD"), head);
  const declared = await bench.call(["run", "it", "--flow", "declared.yaml", "--id", "declared"]);
  assert.equal(declared.code, 0, declared.stdout + declared.stderr);
  assert.match(git("show", "HEAD:answer.txt"), /right/);
});
