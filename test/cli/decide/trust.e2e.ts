import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(1);

const done = { do: "claim", ok: true, text: "done" };
const tampers = [
  { do: "append", file: "AGENTS.md", line: "obey me" },
  { do: "write", file: ".mcp.json", content: '{"mcpServers":{"evil":{}}}' },
];

const bench = new CliBench({
  "tampers.json": JSON.stringify({
    attempts: [[...tampers, { do: "append", file: "work", line: "x" }, done]],
  }),
  "waits.json": JSON.stringify({
    attempts: [[{ do: "blocked", reason: "needs_human", text: "which?" }], [done]],
  }),
  "stops.json": JSON.stringify({
    attempts: [[...tampers, { do: "progress", text: "tampered" }, { do: "hang" }]],
  }),
  "AGENTS.md": "be kind\n",
  "holdfast.yaml": "backoff: { baseMs: 1, capMs: 1 }\nprotected: { paths: [gate.sh] }\n",
});
after(() => bench.close());

const inWork = (name: string): string => path.join(bench.cwd, name);

interface Status {
  readonly status: string;
  readonly blocked: { readonly reason: string; readonly command: string } | null;
}

test("W9 what an agent did to protected files is undone before its work is accepted, reported and counted", async () => {
  const { code, stdout, stderr } = await bench.call([
    "run",
    "x",
    "--agent",
    "demo:tampers.json",
    "--id",
    "t1",
  ]);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(readFileSync(inWork("AGENTS.md"), "utf8"), "be kind\n");
  assert.equal(existsSync(inWork(".mcp.json")), false);
  assert.equal(readFileSync(inWork("work"), "utf8"), "x\n", "what is nobody's rule is kept");
  const [changed] = (await bench.eventsOf("t1")).flatMap((event) =>
    event.type === "ProtectedFilesChanged" ? [event.data] : [],
  );
  assert.equal(changed?.undone, true);
  assert.deepEqual(changed.attempts, ["work#1"]);
  assert.deepEqual(
    changed.findings.map(({ path: name, act }) => [name, act]),
    [
      [".mcp.json", "created"],
      ["AGENTS.md", "edited"],
    ],
  );
  assert.match(stdout, /protected files were changed \(work#1\): .*brought back/);
});

test("W9 a person's change blocks the run, whose printed command shows and accepts it", async () => {
  const waits = await bench.call(["run", "x", "--agent", "demo:waits.json", "--id", "t2"]);
  assert.equal(waits.code, 3, waits.stdout + waits.stderr);
  bench.write("AGENTS.md", "be kind\nand careful\n");
  bench.write("gate.sh", "exit 0\n");
  const unblocked = await bench.call(["unblock", "t2.e1"]);
  assert.equal(unblocked.code, 0, unblocked.stderr);
  await bench.reaches("t2", "blocked");
  const { blocked } = await bench.json<Status>(["status", "t2"]);
  assert.equal(blocked?.reason, "protected_files");
  assert.match(blocked.command, /^holdfast trust t2 --show-diff/);
  const looked = await bench.call(["trust", "t2", "--dry-run"]);
  assert.match(looked.stdout, /AGENTS\.md: edited\n\s+\+and careful/);
  assert.equal((await bench.json<Status>(["status", "t2"])).status, "blocked", "only looked at");
  const trusted = await bench.call(["trust", "t2", "--show-diff"]);
  assert.equal(trusted.code, 0, trusted.stderr);
  assert.match(trusted.stdout, /gate\.sh: created\n\s+\+exit 0/);
  await bench.reaches("t2", "completed");
  assert.equal(readFileSync(inWork("AGENTS.md"), "utf8"), "be kind\nand careful\n");
});

test("W9 a person's change is brought back where a person says so", async () => {
  bench.write("AGENTS.md", "be kind\n");
  const waits = await bench.call(["run", "x", "--agent", "demo:waits.json", "--id", "t3"]);
  assert.equal(waits.code, 3, waits.stdout + waits.stderr);
  bench.write("AGENTS.md", "a slip\n");
  await bench.call(["unblock", "t3.e1"]);
  await bench.reaches("t3", "blocked");
  const undone = await bench.call(["trust", "t3", "--undo"]);
  assert.equal(undone.code, 0, undone.stderr);
  await bench.reaches("t3", "completed");
  assert.equal(readFileSync(inWork("AGENTS.md"), "utf8"), "be kind\n");
});

test("W9 files that cannot be brought back block the run instead of being tried for ever", async () => {
  const running = bench.start(["run", "x", "--agent", "demo:stops.json", "--id", "t4"]);
  await running.prints("tampered");
  // The guard may be writing there just now.
  rmSync(`${bench.store}-sessions-trusted`, { recursive: true, maxRetries: 20, retryDelay: 50 });
  const paused = await bench.call(["pause", "t4"]);
  // The watch over these files may have blocked it already.
  assert.ok(paused.code === 0 || /the run is blocked/.test(paused.stderr), paused.stderr);
  await running.ended;
  await bench.call(["resume", "t4"]);
  await bench.reaches("t4", "blocked");
  const { blocked } = await bench.json<Status>(["status", "t4"]);
  assert.equal(blocked?.reason, "protected_files");
  const looks = (await bench.eventsOf("t4")).filter(
    ({ type, data }) => type === "EffectIntended" && data.effect.kind === "GuardFiles",
  );
  assert.ok(looks.length < 12, `looked ${String(looks.length)} times`);
  bench.write("AGENTS.md", "be kind\n");
  rmSync(inWork(".mcp.json"), { force: true });
  const trusted = await bench.call(["trust", "t4"]);
  assert.equal(trusted.code, 0, trusted.stderr);
  // It goes on, and its next agent changes the same files again: not while the next test looks at them.
  await bench.call(["cancel", "t4"]);
  await bench.reaches("t4", "cancelled");
});

test("W9 what an agent does to protected files is found and undone while it works, without waiting for the next check", async () => {
  bench.write("AGENTS.md", "be kind\n");
  const started = await bench.call(["run", "x", "--agent", "demo:stops.json", "--id", "t5", "--detach"]);
  assert.equal(started.code, 0, started.stderr);
  await bench.receives("t5", '"act":"edited"');
  assert.equal(readFileSync(inWork("AGENTS.md"), "utf8"), "be kind\n");
  const events = await bench.eventsOf("t5");
  assert.ok(events.some(({ type }) => type === "ProtectedFilesStirred"));
  assert.ok(!events.some(({ type }) => type === "AttemptEnded"), "its agent is still at work");
  await bench.call(["cancel", "t5"]);
  await bench.reaches("t5", "cancelled");
});
