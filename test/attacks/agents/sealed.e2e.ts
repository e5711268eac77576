import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../../cli/cli-process.ts";
import { SEALED_ACTS } from "./sealed-acts.ts";
import { gitIn, pictureOf } from "./sealed-stage.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, beforeEach, test } = takesTurns(4);

const COMMIT = SEALED_ACTS["commits to the user's branch"] ?? "";

/** Each does its task and something to the real repository by its path; a person acts beside the last one. */
const AGENTS = `import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
const real = import.meta.dirname;
const sh = (act, env) => execFileSync("sh", ["-c", act], { env: { ...process.env, REAL: real, ...env } });
const works = (cwd) => writeFileSync(path.join(cwd, "answer.txt"), "right\\n");
const COMMIT = ${JSON.stringify(COMMIT)};
const ADA = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.invalid" };
export async function thief({ cwd }) { works(cwd); sh(COMMIT); return "done"; }
export async function stasher({ cwd }) { works(cwd); sh('cd "$REAL" && echo "git was here" >> work.txt && git stash -q'); return "done"; }
export async function hooker({ cwd }) { works(cwd); sh('cd "$REAL" && printf "#!/bin/sh\\nexit 0\\n" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit'); return "done"; }
export async function beside({ cwd }) { works(cwd); sh('cd "$REAL" && git commit -q --allow-empty -m "by Ada"', ADA); return "done"; }
export async function honest({ cwd }) { works(cwd); return "done"; }
export async function reader() { sh(COMMIT); return "read"; }
export async function reviewer() { sh('cd "$REAL" && git tag evil && git commit -q --allow-empty -m evil'); return { verdict: "pass", findings: [] }; }
`;

const PROPOSERS = ["thief", "stasher", "hooker", "beside"];
const NAMES = [...PROPOSERS, "honest", "reader", "reviewer"];
const flowFor = (agent: string): string => `name: ${agent}
roles: { it: { agent: ${agent}, authority: proposes } }
steps:
  - { name: do, task: do it, role: it }
`;

const bench = new CliBench({
  "agents.mjs": AGENTS,
  "work.txt": "one\n",
  ...Object.fromEntries(PROPOSERS.map((name) => [`${name}.yaml`, flowFor(name)])),
  "reading.yaml": `name: reading
roles: { look: { agent: reader, authority: reviews } }
steps:
  - { name: make, task: make it, agent: honest }
  - { name: look, task: look at it, role: look, needs: [make] }
`,
  "holdfast.yaml": [
    "agents:",
    ...NAMES.map((name) => `  ${name}: { use: function, module: agents.mjs, export: ${name} }`),
    "backoff: { baseMs: 1, capMs: 1 }",
    "checks: { tries: 2, baseline: false }",
    "commit: { when: asked }",
    "workspace: { isolation: none, lock: never }",
    "",
  ].join("\n"),
});
const git = gitIn(bench.cwd);

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});
beforeEach(() => {
  for (const name of ["answer.txt", "evil.txt"]) rmSync(path.join(bench.cwd, name), { force: true });
});
after(() => bench.close());

interface Status {
  readonly status: string;
  readonly blocked: { readonly detail: string; readonly guidance: readonly string[] } | null;
  readonly escalations: readonly { readonly detail: string }[];
  readonly seals: {
    readonly breaches: number;
    readonly found: readonly {
      readonly breach: boolean;
      readonly agent: string;
      readonly files: readonly string[];
      readonly acts: readonly {
        readonly what: string;
        readonly undone: boolean;
        readonly kept: string | null;
      }[];
    }[];
  };
}
const statusOf = (run: string): Promise<Status> => bench.json<Status>(["status", run]);

async function breached(run: string, what: string): Promise<Status> {
  const status = await statusOf(run);
  assert.equal(status.seals.breaches, 1, JSON.stringify(status, null, 1));
  assert.equal(status.status, "blocked");
  assert.match(status.blocked?.detail ?? "", /may not write to the repository and has changed/);
  assert.equal(status.escalations.length, 1);
  const act = status.seals.found[0]?.acts.find((one) => one.what === what);
  assert.equal(act?.undone, true, JSON.stringify(status.seals));
  const shown = (await bench.call(["status", run])).stdout;
  assert.match(shown, /breach/);
  assert.match((await bench.call(["why", run])).stdout, /may not write/);
  return status;
}

test("G16 a proposer that commits to the user's branch by its path: the branch is put back, the files are named, and there is no proposal", async () => {
  const picture = pictureOf(bench.cwd);
  const ended = await bench.call(["run", "--flow", "thief.yaml", "--id", "thief"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  const status = await breached("thief", "refs/heads/main");
  assert.equal(pictureOf(bench.cwd), picture);
  assert.deepEqual(status.seals.found[0]?.files, ["evil.txt"]);
  const { proposals } = await bench.json<{ proposals: unknown[] }>(["proposals", "thief"]);
  assert.deepEqual(proposals, []);
});

test("G16 a proposer that stashes in the real tree: the stash is put back and kept aside", async () => {
  const picture = pictureOf(bench.cwd);
  await bench.call(["run", "--flow", "stasher.yaml", "--id", "stasher"]);
  const status = await breached("stasher", "refs/stash");
  assert.equal(pictureOf(bench.cwd), picture);
  const kept = status.seals.found[0]?.acts[0]?.kept ?? "";
  assert.match(git("show", `${kept}:work.txt`), /git was here/);
});

test("G16 W9 a proposer that plants a hook in the real repository: it is removed again", async () => {
  await bench.call(["run", "--flow", "hooker.yaml", "--id", "hooker"]);
  assert.throws(() => readFileSync(path.join(bench.cwd, ".git", "hooks", "pre-commit")));
  const events = await bench.eventsOf("hooker");
  assert.ok(events.some(({ type }) => type === "ProtectedFilesChanged"));
});

test("G16 an agent that only reads and commits: the branch is put back, and the step is not done", async () => {
  const picture = pictureOf(bench.cwd);
  await bench.call(["run", "--flow", "reading.yaml", "--id", "reader"]);
  await breached("reader", "refs/heads/main");
  assert.equal(pictureOf(bench.cwd), picture);
});

test("G16 G6 a reviewer that tags and commits in the real repository: both are put back, and its verdict does not count", async () => {
  const picture = pictureOf(bench.cwd);
  const order = ["run", "it", "--agent", "honest", "--check", "grep -q right answer.txt"];
  const ended = await bench.call([...order, "--reviewer", "reviewer", "--id", "reviewed"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  const status = await breached("reviewed", "refs/tags/evil");
  assert.equal(status.seals.found[0]?.agent, "reviewer");
  assert.equal(pictureOf(bench.cwd), picture);
});

test("G16 a person who commits and edits while a proposer works loses nothing, and no breach is counted", async () => {
  writeFileSync(path.join(bench.cwd, "work.txt"), "mine\n");
  await bench.call(["run", "--flow", "beside.yaml", "--id", "beside"]);
  const status = await statusOf("beside");
  assert.equal(git("log", "-1", "--format=%s"), "by Ada");
  assert.equal(readFileSync(path.join(bench.cwd, "work.txt"), "utf8"), "mine\n");
  assert.equal(status.seals.breaches, 0);
  assert.deepEqual(status.blocked?.guidance, ["proposal_apply_required"]);
  assert.deepEqual(
    status.seals.found.map(({ breach, acts }) => [breach, acts.map(({ what, undone }) => [what, undone])]),
    [[false, [["refs/heads/main", false]]]],
  );
});
