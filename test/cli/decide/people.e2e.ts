import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AGENTS } from "../agents.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(1);

const bench = new CliBench({
  "agents.mjs": `${AGENTS}
export async function asks({ emit, number }) {
  if (number > 1) return "with the answer";
  await emit({ kind: "blocked", reason: "approval_transition", text: "may I deploy?" });
  await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
}
`,
  "busy.json": JSON.stringify({
    attempts: [
      [
        { do: "wait", file: "go.txt" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  }),
  "holdfast.yaml": [
    "agents: { busy: { use: demo, script: busy.json } }",
    "supervisor: { idleExitMs: 300, scanMs: 100 }",
    "startup: { termGraceMs: 300 }",
    "backoff: { baseMs: 1 }",
    "mirrors: { humanTasks: true, status: true }",
    "",
  ].join("\n"),
});
after(() => bench.close());

const FAILS = ["--agent", "function:agents.mjs#fails"];
const tasks = path.join(bench.cwd, "HUMAN_TASKS.md");
const mirrored = (run: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(bench.cwd, ".holdfast", "status", `${run}.json`), "utf8")) as Record<
    string,
    unknown
  >;

/** Who supervises a run, and what is paused for all, is known only to those who look: its owner does not write it. */
const statusOf = async (run: string): Promise<Record<string, unknown>> => {
  const { owner, supervision, store, paused, ...rest } = await bench.json(["status", run]);
  assert.ok(owner === null && supervision !== undefined && store === null);
  assert.deepEqual(paused, []);
  return rest;
};

test("G2 G5 a blocked run stands in HUMAN_TASKS.md and in its status file, both as the commands describe it, and leaves when it is settled", async () => {
  assert.equal((await bench.call(["run", "it", ...FAILS, "--id", "stuck"])).code, 3);
  const text = readFileSync(tasks, "utf8");
  assert.match(text, /stuck\.e1/);
  const command = /`(holdfast retry [^`]*)`/.exec(text)?.[1] ?? "";
  assert.deepEqual(mirrored("stuck"), await statusOf("stuck"));
  assert.deepEqual(pasted(command), ["retry", "stuck", "--step", "work"]);
  assert.equal(readFileSync(path.join(bench.cwd, ".holdfast", "status", ".gitignore"), "utf8"), "*\n");
  const cancelled = await bench.call(["cancel", "stuck"]);
  assert.equal(cancelled.code, 0, cancelled.stderr);
  assert.ok(!existsSync(tasks), "nothing waits any more, and the file was Holdfast's own");
  assert.deepEqual(mirrored("stuck"), await statusOf("stuck"));
});

test("G2 G5 J4 files that lag behind because their writer was killed are brought up to date by the next supervisor", async () => {
  assert.equal((await bench.call(["run", "it", ...FAILS, "--id", "lagging"])).code, 3);
  const killed = await bench.call(["cancel", "lagging"], {
    env: { HOLDFAST_CRASH_AT: "mirror.lock.after#1" },
  });
  assert.equal(killed.signal, "SIGKILL", killed.stderr);
  assert.match(readFileSync(tasks, "utf8"), /lagging\.e1/);
  await bench.json(["up", "--detach"]);
  for (
    const until = Date.now() + 30_000;
    existsSync(tasks);
    await new Promise((wait) => setTimeout(wait, 50))
  )
    assert.ok(Date.now() < until, "the file never followed");
  const status = await bench.json<{ status: string }>(["status", "lagging"]);
  assert.equal(status.status, "cancelled");
});

test("G2 a mirror that cannot be written stops nothing and is reported", async () => {
  const inside = new CliBench({ "agents.mjs": AGENTS, "holdfast.yaml": "mirrors: { status: true }\n" });
  writeFileSync(path.join(inside.cwd, ".holdfast"), "in the way");
  try {
    const ended = await inside.call(["run", "it", "--agent", "function:agents.mjs#quick", "--id", "free"]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.stdout.match(/goes on, but the status of free could not be written/g)?.length, 1);
  } finally {
    await inside.close();
  }
});

test("G3 G5 escalate, unblock, approve and reject answer with their exit codes, and name the states where they are taken", async () => {
  const { run } = await bench.json<{ run: string }>([
    "run",
    "it",
    "--agent",
    "function:agents.mjs#waitsOnce",
    "--id",
    "held",
    "--detach",
  ]);
  await bench.receives(run, "waiting");
  assert.equal((await bench.call(["escalate", run, "--note", "it touches billing"])).code, 0);
  await bench.reaches(run, "blocked");
  const twice = await bench.json<{ error: { message: string } }>(["escalate", run, "--note", "again"], 5);
  assert.match(twice.error.message, /with an operator already .*; expected holdfast unblock held\.e1/);
  const wrong = await bench.json<{ error: { message: string } }>(["approve", run], 5);
  assert.match(wrong.error.message, /blocked as operator_escalation; expected holdfast unblock held\.e1/);
  assert.equal((await bench.call(["unblock", "nonsense"])).code, 2);
  assert.equal((await bench.call(["unblock", "nobody.e1"])).code, 4);
  assert.equal((await bench.call(["unblock", "held.e9"])).code, 5);
  assert.equal((await bench.call(["reject", run, "--note", " "])).code, 2);
  assert.equal((await bench.call(["escalate", "nobody", "--note", "x"])).code, 4);
  assert.equal((await bench.call(["unblock", "held.e1", "--note", "billing is fine"])).code, 0);
  await bench.receives(run, "billing is fine");
  assert.equal((await bench.call(["cancel", run])).code, 0);
  await bench.reaches(run, "cancelled");
});

test("G3 G5 what waits for approval is sent back with words that its next attempt receives", async () => {
  const { run } = await bench.json<{ run: string }>([
    "run",
    "it",
    "--agent",
    "function:agents.mjs#asks",
    "--id",
    "gated",
    "--detach",
  ]);
  await bench.reaches(run, "awaiting_approval");
  assert.equal((await bench.call(["reject", run, "--note", "not on a Friday"])).code, 0);
  await bench.reaches(run, "completed");
  await bench.receives(run, ") says:\\nnot on a Friday");
  const reported = await bench.call(["report", run]);
  assert.match(reported.stdout, /not on a Friday/);
  const refused = await bench.json<{ error: { details: { allowedIn: string[] } } }>(["approve", run], 5);
  assert.deepEqual(refused.error.details.allowedIn, ["awaiting_approval", "blocked"]);
});

test("A8 G5 a message that no agent has received is shown with its author, and at the end of the run as never received", async () => {
  const front = bench.start(["run", "it", "--agent", "busy", "--id", "late"]);
  await bench.reaches("late", "running");
  await bench.receives("late", "work#1/StartAgent");
  const kept = await bench.call(["tell", "late", "mind the gap"]);
  assert.equal(kept.code, 0, kept.stderr);
  const waits = (await bench.call(["status", "late"])).stdout;
  assert.match(
    waits,
    /message +the message of \S+ for step work \(\S+\) waits for its next attempt: mind the gap/,
  );
  writeFileSync(path.join(bench.cwd, "go.txt"), "");
  const ended = await front.ended;
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const never = /the message of \S+ for step work \(\S+\) never reached an agent: mind the gap/;
  assert.match(ended.stdout, never);
  for (const command of ["status", "why"]) assert.match((await bench.call([command, "late"])).stdout, never);
  assert.match((await bench.call(["report", "late"])).stdout, /never reached an agent: mind the gap/);
});

test("G13 a report replaces a report and nothing else, and is made from an exported file too", async () => {
  assert.equal((await bench.call(["report", "gated", "--out", "gated.html"])).code, 0);
  assert.equal((await bench.call(["report", "gated", "--out", "gated.html"])).code, 0);
  assert.match(readFileSync(path.join(bench.cwd, "gated.html"), "utf8"), /^<!doctype html>/);
  const own = bench.write("notes.md", "my notes\n");
  const refused = await bench.call(["report", "gated", "--out", "notes.md"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /is there and is no report/);
  assert.equal(readFileSync(own, "utf8"), "my notes\n");
  assert.equal((await bench.call(["report", "gated", "--out", "notes.md", "--force"])).code, 0);
  assert.equal((await bench.call(["export", "gated", "--out", "gated.jsonl"])).code, 0);
  const fromFile = await bench.call(["report", "gated.jsonl"], {
    env: { HOLDFAST_HOME: path.join(bench.root, "none") },
  });
  assert.equal(fromFile.code, 0, fromFile.stderr);
  assert.match(fromFile.stdout, /^<!-- holdfast report -->\n\n# gated: completed/);
});
