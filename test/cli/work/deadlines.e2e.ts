import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AGENTS } from "../agents.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(1);

/** The gate is cancelled by time, and the reminder comes by time: both only if somebody stays. */
const bench = new CliBench({
  "agents.mjs": AGENTS,
  "quick.yaml": `name: quick
steps:
  - { name: build, task: build it, agent: dev, phase: make }
  - { name: ship, task: ship it, agent: dev, phase: out }
phases:
  - { name: make, gate: { name: release, kind: approval, expiry: { afterMs: 1500, then: cancel } } }
  - { name: out }
`,
  "holdfast.yaml": [
    "agents: { dev: { use: function, module: ./agents.mjs, export: quick } }",
    "supervisor: { idleExitMs: 300, scanMs: 100 }",
    "backoff: { baseMs: 1 }",
    "notify:",
    "  remindMs: 1500",
    "  channels: { file: { use: command, command: [sh, -c, 'cat >> told.txt; echo >> told.txt'] } }",
    "",
  ].join("\n"),
});
after(() => bench.close());

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); await delay(100))
    assert.ok(Date.now() < end, `never: ${what}`);
}

test("B5 G4 G5 what is due after `run` in the foreground has ended is done by a background supervisor, which says so and stays", async () => {
  const gated = await bench.call(["run", "--flow", "quick.yaml", "--id", "gated"]);
  assert.equal(gated.code, 3, gated.stdout + gated.stderr);
  assert.match(
    gated.stdout,
    /(expiry of the approval of release|reminder about \S+|notice).*; a supervisor was started in the background \(pid \d+\)/,
  );
  await bench.reaches("gated", "cancelled");
  const status = await bench.json<{ stop: string }>(["status", "gated"]);
  assert.equal(status.stop, "timeout");

  const failed = await bench.call(["run", "it", "--agent", "function:agents.mjs#fails", "--id", "failed"]);
  assert.equal(failed.code, 3);
  const reported = path.join(bench.cwd, "told.txt");
  await until(
    "reminded",
    () => existsSync(reported) && readFileSync(reported, "utf8").includes("failed still needs you"),
  );
  const { supervision } = await bench.json<{ supervision: { state: string } }>(["status", "failed"]);
  assert.notEqual(supervision.state, "none");
});

test("B5 B6 without hand-over the text says that nobody will act, with a command that changes it, and so do all views", async () => {
  await bench.call(["down"]);
  const ended = await bench.call([
    "run",
    "it",
    "--agent",
    "function:agents.mjs#fails",
    "--id",
    "alone",
    "--no-hand-over",
  ]);
  assert.equal(ended.code, 3);
  assert.match(ended.stdout, /no supervisor runs; due: the reminder about \S+ \(.*\): holdfast up --detach/);
  for (const view of [["status", "alone"], ["why", "alone"], ["inbox"], ["watch", "--once"], ["runs"]]) {
    const { stdout } = await bench.call(view);
    assert.match(stdout, /not supervised/, view.join(" "));
    assert.match(stdout, /holdfast up --detach/, view.join(" "));
  }
  assert.match((await bench.call(["down"])).stdout, /not supervised.*holdfast up --detach/);
});
