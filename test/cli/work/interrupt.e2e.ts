import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AGENTS } from "../agents.ts";
import { CliBench, pasted } from "../cli-process.ts";

const bench = new CliBench({
  "agents.mjs": AGENTS,
  "holdfast.yaml": "startup: { termGraceMs: 3000 }\n",
});
after(() => bench.close());

const start = (id: string, agent: string) =>
  bench.start(["run", "g", "--id", id, "--agent", `function:agents.mjs#${agent}`]);

test("O1 G2 Ctrl-C once pauses the run, says how it goes on and exits 130; the command goes on", async () => {
  const process = start("once", "waitsOnce");
  await process.prints("waiting");
  process.child.kill("SIGINT");
  const { code, stdout } = await process.ended;
  assert.equal(code, 130);
  assert.match(stdout, /once is paused/);
  assert.equal((await bench.json<{ status: string }>(["status", "once"])).status, "paused");
  const command = /it goes on with: (holdfast .*)/.exec(stdout)?.[1] ?? "";
  assert.equal(command, "holdfast resume once");
  assert.equal((await bench.call(pasted(command))).code, 0);
  await bench.reaches("once", "completed");
  // Otherwise the supervisor that was started would take the runs of the tests below.
  await bench.call(["down"]);
});

test("O1 G2 Ctrl-C twice leaves at once with 130, says so, and the run goes on with the command it names", async () => {
  const process = start("twice", "deaf");
  await process.prints("not listening");
  process.child.kill("SIGINT");
  await process.prints("Ctrl-C again leaves at once");
  await process.prints("being ended: the run is stopping");
  process.child.kill("SIGINT");
  const { code, stderr } = await process.ended;
  assert.equal(code, 130);
  const command = /goes on with: (holdfast .*)/.exec(stderr)?.[1] ?? "";
  assert.equal(command, "holdfast resume twice");
  assert.equal((await bench.json<{ status: string }>(["status", "twice"])).status, "pausing");
  assert.equal((await bench.call(pasted(command))).code, 0);
  await bench.reaches("twice", "running");
  await bench.call(["down"]);
});

test("O1 B6 G2 SIGTERM and SIGHUP let go of the run, which is not failed by it and goes on with a background supervisor", async () => {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    const id = signal.toLowerCase();
    const process = start(id, "untilTold");
    await process.prints("waiting");
    process.child.kill(signal);
    const { code, stdout } = await process.ended;
    assert.equal(code, 130);
    assert.match(stdout, new RegExp(`${id} was released and is not lost`));
    assert.match(stdout, /it goes on by itself: (a supervisor was started|the supervisor with pid)/);
    bench.write(`${id}.go`, "");
    await bench.reaches(id, "completed");
    const started = (await bench.eventsOf(id)).filter(({ type }) => type === "AttemptStarted");
    assert.equal(started.length, 1, "its agent went on meanwhile");
    await bench.call(["down"]);
  }
});

test("O1 with --json an interrupted run ends with its status as the one document", async () => {
  const process = bench.start(["run", "g", "--id", "json", "--agent", "function:agents.mjs#waits", "--json"]);
  await bench.receives("json", "waiting");
  process.child.kill("SIGINT");
  const { code, stdout } = await process.ended;
  assert.equal(code, 130);
  const status = JSON.parse(stdout) as { status: string; next: string };
  assert.deepEqual([status.status, status.next], ["paused", "holdfast resume json"]);
});

test("O1 a reader that goes away makes run let go of its run, and stderr says how it goes on", async () => {
  const process = start("unread", "waits");
  await process.prints("waiting");
  process.child.stdout?.destroy();
  await bench.call(["pause", "unread"]);
  const { stderr } = await process.ended;
  assert.match(
    stderr,
    /the reader closed the output; unread is released: a background supervisor goes on with it/,
  );
});

test("O1 events --follow shows what comes and is ended by Ctrl-C with 130, leaving the run alone", async () => {
  const run = start("followed", "waits");
  await run.prints("waiting");
  const follower = bench.start(["events", "followed", "--follow"]);
  await follower.prints("SignalsHeard");
  assert.equal((await bench.call(["pause", "followed"])).code, 0);
  await follower.prints("RunPaused");
  follower.child.kill("SIGINT");
  const { code, stderr } = await follower.ended;
  assert.equal(code, 130);
  assert.match(stderr, /no longer following followed/);
  assert.equal((await run.ended).code, 3);
});
