import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

const claim = { do: "claim", ok: true, text: "done" };
/** The first step is done only when a person lets its check pass, who may commit meanwhile. */
const CHECKED = `name: checked
steps:
  - { name: first, task: write one, agent: first, checks: [{ run: "touch waits; until test -e go; do sleep 0.05; done" }] }
  - { name: second, task: write two, agent: second, needs: [first] }
`;

const bench = new CliBench({
  "first.json": JSON.stringify({ attempts: [[{ do: "write", file: "one", content: "1\n" }, claim]] }),
  "second.json": JSON.stringify({
    attempts: [[{ do: "append", file: "two", line: "{attempt}: {task}" }, claim]],
  }),
  "hang.json": JSON.stringify({
    attempts: [
      [{ do: "append", file: "told", line: "{attempt}" }, { do: "hang" }],
      [{ do: "append", file: "told", line: "{attempt}: {task}" }, claim],
    ],
  }),
  "checked.yaml": CHECKED,
  ".gitignore": "one\ntwo\ntold\nwaits\ngo\n",
});
after(() => bench.close());
const config = (drift: string): string =>
  bench.write(
    "holdfast.yaml",
    `backoff: { baseMs: 1, capMs: 1 }
drift: ${drift}
checks: { baseline: false }
workspace: { isolation: none, lock: never }
agents:
  first: { use: demo, script: first.json }
  second: { use: demo, script: second.json }
  hang: { use: demo, script: hang.json }
`,
  );

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const commit = (name: string): string => {
  writeFileSync(path.join(bench.cwd, name), `${String(Math.random())}\n`);
  git("add", name);
  git("commit", "-qm", name);
  return git("rev-parse", "HEAD");
};
before(() => {
  config("{}");
  git("init", "-q", "-b", "work");
  git("add", ".");
  git("commit", "-qm", "begin");
});

/** Runs until the first step's check waits for a person, lets them act, and goes on. */
async function meanwhile(run: string, act: () => void): Promise<void> {
  for (const name of ["waits", "go"]) execFileSync("rm", ["-f", path.join(bench.cwd, name)]);
  const started = await bench.call(["run", "--flow", "checked.yaml", "--id", run, "--detach"]);
  assert.equal(started.code, 0, started.stderr);
  while (!existsSync(path.join(bench.cwd, "waits"))) await delay(50);
  act();
  writeFileSync(path.join(bench.cwd, "go"), "");
}

test("W7 commits that a person puts on top between steps are taken as the new base, and the next agent is informed", async () => {
  let head = "";
  await meanwhile("forward", () => (head = commit("mine")));
  await bench.reaches("forward", "completed");
  const events = await bench.eventsOf("forward");
  const found = events.flatMap(({ type, data }) => (type === "DriftFound" ? [data] : []));
  assert.deepEqual(
    found.map((one) => [one.head.commit, one.head.relation, one.head.files]),
    [[head, "forward", ["mine"]]],
  );
  assert.match(readFileSync(path.join(bench.cwd, "two"), "utf8"), /somebody else has committed.*mine/);
  assert.equal((await bench.json(["status", "forward"]))["drift"], null);
});

test("W6 W7 with drift.forward ask the run blocks as drift, and the printed command lets it go on", async () => {
  config("{ forward: ask }");
  let head = "";
  await meanwhile("asked", () => (head = commit("mine too")));
  await bench.reaches("asked", "blocked");
  const status = await bench.json<{ blocked: { reason: string; command: string }; drift: { to: string } }>([
    "status",
    "asked",
  ]);
  assert.equal(status.blocked.reason, "drift");
  assert.match(status.blocked.command, /^holdfast reconcile asked --accept-head/);
  assert.equal(status.drift.to, head);
  const doctor = await bench.call(["doctor"]);
  assert.match(doctor.stdout, /warn {2}drift: asked: .*\n {6}→ .*holdfast reconcile asked --accept-head/);
  const done = await bench.call(["reconcile", "asked", "--accept-head"]);
  assert.equal(done.code, 0, done.stderr);
  await bench.reaches("asked", "completed");
  config("{}");
});

test("W7 a rewritten history is refused with the reason, and reissue gives the work out again from there", async () => {
  await meanwhile("rewritten", () => {
    git("commit", "-q", "--amend", "-m", "another past");
  });
  await bench.reaches("rewritten", "blocked");
  const status = await bench.json<{ blocked: { reason: string; command: string; detail: string } }>([
    "status",
    "rewritten",
  ]);
  assert.equal(status.blocked.reason, "operator_commit_refused");
  assert.match(status.blocked.detail, /history was rewritten/);
  const refused = await bench.call(["reconcile", "rewritten", "--accept-head"]);
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /history was rewritten.*reissue rewritten --reason baseline/);
  assert.match(status.blocked.command, /^holdfast reissue rewritten --reason baseline/);
  const done = await bench.call(["reissue", "rewritten", "--reason", "baseline"]);
  assert.equal(done.code, 0, done.stderr);
  await bench.reaches("rewritten", "completed");
});

test("W6 reissue ends the session at work in one act, charges nothing, and the next attempt is given the reason", async () => {
  config("{ everyMs: 200 }");
  const started = await bench.call(["run", "wait", "--agent", "hang", "--id", "again", "--detach"]);
  assert.equal(started.code, 0, started.stderr);
  await bench.receives("again", "append");
  const head = commit("while it works");
  await bench.receives("again", head);
  const shown = await bench.call(["status", "again"]);
  assert.match(shown.stdout, /drift +work went from .*: holdfast reconcile again --accept-head/);
  const done = await bench.call(["reissue", "again", "--reason", "drift"]);
  assert.equal(done.code, 0, done.stderr);
  await bench.reaches("again", "completed");
  const events = await bench.eventsOf("again");
  const ended = events.flatMap(({ type, data }) =>
    type === "AttemptEnded" ? [[data.outcome, data.charged]] : [],
  );
  assert.deepEqual(ended, [
    ["interrupted", false],
    ["succeeded", false],
  ]);
  assert.match(
    readFileSync(path.join(bench.cwd, "told"), "utf8"),
    /work#2: wait[^]*started again: the base under it has moved/,
  );
});

test("W6 an agent that is bound otherwise, and an authority that has changed, are shown with reissue, which gives the step out as it is written now", async () => {
  const agents = (script: string): string =>
    bench.write(
      "holdfast.yaml",
      `backoff: { baseMs: 1, capMs: 1 }
drift: { everyMs: 200 }
workspace: { isolation: none, lock: never }
protected: { usual: false }
agents:
  bound: { use: demo, script: ${bench.cwd}/${script} }
`,
    );
  const flow = (authority: string): string =>
    bench.write(
      "bound.yaml",
      `name: bound\nsteps:\n  - { name: only, task: be bound, agent: bound, authority: ${authority} }\n`,
    );
  agents("hang.json");
  flow("proposes");
  const started = await bench.call(["run", "--flow", "bound.yaml", "--id", "bound", "--detach"]);
  assert.equal(started.code, 0, started.stderr);
  await bench.receives("bound", "append");
  agents("second.json");
  flow("writes");
  await bench.receives("bound", "agents.bound changed and is not trusted so");
  assert.equal((await bench.call(["trust", "--yes", "--flow", "bound.yaml"])).code, 0);
  await bench.receives("bound", "the authority of only is writes now, not proposes");
  const shown = await bench.call(["status", "bound"]);
  assert.match(
    shown.stdout,
    /drift +the agent bound of only is bound otherwise now: script: holdfast reissue bound --step only --reason rebinding/,
  );
  assert.match(shown.stdout, /drift +the authority of only .*--reason authority/);
  const done = await bench.call(["reissue", "bound", "--step", "only", "--reason", "rebinding"]);
  assert.equal(done.code, 0, done.stderr);
  await bench.reaches("bound", "completed");
  assert.match(
    readFileSync(path.join(bench.cwd, "two"), "utf8"),
    /only#2: be bound[^]*another agent is to work it/,
  );
  assert.deepEqual((await bench.json<{ bindings: unknown[] }>(["status", "bound"])).bindings, []);
});

test("P4 W6 reissue without a reason says what is expected", async () => {
  assert.match((await bench.call(["reissue", "again"])).stderr, /expected --reason with one of drift, ghost/);
});
