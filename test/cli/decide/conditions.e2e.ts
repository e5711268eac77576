import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(4);

const claim = { do: "claim", ok: true, text: "done" };
const gated = (auto: string): string => `name: gated
phases:
  - { name: make, gate: { name: release, kind: approval, auto: ${auto} } }
steps:
  - { name: write, task: write it, agent: docs, phase: make, risk: low, checks: [{ run: test -e docs/page.md }] }
`;
const bench = new CliBench({
  "docs.json": JSON.stringify({
    attempts: [[{ do: "write", file: "docs/page.md", content: "one\ntwo\n" }, claim]],
  }),
  "waits.json": JSON.stringify({ attempts: [[{ do: "say", text: "at work" }, { do: "hang" }]] }),
  "small.yaml": gated('{ paths: ["docs/*"], filesMax: 1, linesMax: 2, checks: passed, risk: low }'),
  "tight.yaml": gated('{ paths: ["docs/*"], linesMax: 1 }'),
  "dry.yaml": gated('{ paths: ["docs/*"], dryRun: true }'),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: run }
conflict: { times: 99 }
agents:
  docs: { use: demo, script: docs.json }
  waits: { use: demo, script: waits.json }
commit: { author: Ada <ada@example.invalid> }
`,
});
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  });
before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});
after(() => bench.close());

interface DryRun {
  readonly gates: readonly {
    readonly gate: string;
    readonly wouldApprove: boolean;
    readonly findings: readonly { readonly condition: string; readonly met: boolean; readonly why: string }[];
  }[];
}

test("G4 a gate whose conditions hold of the real work lets the run through; one whose do not asks, and says why", async () => {
  const small = await bench.call(["run", "--flow", "small.yaml", "--id", "small"]);
  assert.equal(small.code, 0, small.stdout + small.stderr);
  const reported = await bench.call(["events", "small", "--type", "GateApproved"]);
  assert.match(
    reported.stdout,
    /approved by policy .*all 1 changed files are within docs\/\*.*2 of at most 2 lines/,
  );
  const tight = await bench.call(["run", "--flow", "tight.yaml", "--id", "tight"]);
  assert.equal(tight.code, 3, tight.stdout + tight.stderr);
  assert.match(tight.stdout + tight.stderr, /not approved by itself: 2 of at most 1 lines were changed/);
  assert.equal((await bench.call(["approve", "tight"])).code, 0);
  await bench.reaches("tight", "completed");
});

test("G4 a dry run shows each condition with what was found, and approves nothing", async () => {
  const dry = await bench.call(["run", "--flow", "dry.yaml", "--id", "dry"]);
  assert.equal(dry.code, 3, dry.stdout + dry.stderr);
  assert.match(dry.stdout + dry.stderr, /would have approved it \(dryRun\)/);
  const { gates } = await bench.json<DryRun>(["approve", "dry", "--dry-run"]);
  assert.deepEqual(
    gates.map(({ gate, wouldApprove }) => [gate, wouldApprove]),
    [["release", true]],
  );
  assert.deepEqual(
    gates[0]?.findings.map(({ condition, met }) => [condition, met]),
    [["paths", true]],
  );
  const text = await bench.call(["approve", "dry", "--dry-run"]);
  assert.match(text.stdout, /gate release: would be approved by itself \(dryRun\)\n {2}yes {2}all 1 changed/);
  const { status } = await bench.json<{ status: string }>(["status", "dry"]);
  assert.equal(status, "awaiting_approval", "nothing was approved");
  const escalated = await bench.call(["escalate", "dry", "--note", "I am away"]);
  assert.equal(escalated.code, 0, escalated.stderr);
  const { blocked } = await bench.json<{ blocked: { owner: string; command: string } }>(["status", "dry"]);
  assert.equal(blocked.owner, "operator");
  assert.match(blocked.command, /^holdfast approve dry release/);
  assert.equal((await bench.call(["approve", "dry"])).code, 0);
  await bench.reaches("dry", "completed");
});

test("W4 resume with --agent lets another agent continue a paused run", async () => {
  await bench.call(["run", "write it", "--agent", "waits", "--id", "given", "--detach"]);
  await bench.receives("given", "at work");
  assert.equal((await bench.call(["pause", "given"])).code, 0);
  await bench.reaches("given", "paused");
  const wrong = await bench.call(["resume", "given", "--agent", "dosc"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /did you mean "docs"\?/);
  const resumed = await bench.call(["resume", "given", "--agent", "docs"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stdout, /goes to docs; the run goes on/);
  await bench.reaches("given", "completed");
});

test("O5 W3 doctor names a deleted worktree of a run, and doctor --fix makes it again", async () => {
  const run = await bench.call(["run", "--flow", "tight.yaml", "--id", "gone"]);
  assert.equal(run.code, 3, run.stderr);
  await bench.call(["down"]);
  interface Doctor {
    readonly checks: readonly { name: string; state: string; text: string; fix: string | null }[];
    readonly fixed?: readonly { name: string; text: string }[];
  }
  const status = await bench.json<{ workspace: { folder: string } }>(["status", "gone"]);
  const tree = status.workspace.folder;
  rmSync(tree, { recursive: true });
  const of = (doctor: Doctor) => doctor.checks.find(({ name }) => name === "worktrees");
  const found = of(await bench.json<Doctor>(["doctor"]));
  assert.equal(found?.state, "warn");
  assert.match(found.text, /the worktree of gone is gone/);
  const mended = await bench.json<Doctor>(["doctor", "--fix"]);
  assert.match(mended.fixed?.[0]?.text ?? "", /gone: made .* again/);
  assert.equal(of(mended)?.state, "ok");
  assert.ok(existsSync(path.join(tree, "docs/page.md")), "its last checkpoint is in it");
  assert.equal((await bench.call(["approve", "gone"])).code, 0);
  await bench.reaches("gone", "completed");
});
