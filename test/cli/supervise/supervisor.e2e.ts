import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { AGENTS } from "../agents.ts";
import { CliBench, isAlive } from "../cli-process.ts";

interface Detached {
  readonly run: string;
  readonly supervisor: { readonly pid: number; readonly state: string; readonly log: string };
}

const agent = (name: string): string[] => ["--agent", `function:agents.mjs#${name}`];

/** A bench of its own per test: supervisors are one per store. */
async function withBench(idleExitMs: number, work: (bench: CliBench) => Promise<void>): Promise<void> {
  const bench = new CliBench({
    "agents.mjs": AGENTS,
    "holdfast.yaml": `supervisor: { idleExitMs: ${String(idleExitMs)} }\nstartup: { termGraceMs: 500 }\nbackoff: { baseMs: 1 }\ncrashes: { pauseMs: 1 }\n`,
  });
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

async function ends(pid: number): Promise<void> {
  for (const until = Date.now() + 30_000; isAlive(pid); await delay(50))
    assert.ok(Date.now() < until, `process ${String(pid)} is still alive`);
}

test("O1 a detached run is worked by a supervisor that ends by itself when there is no more work", async () => {
  await withBench(300, async (bench) => {
    const { run, supervisor } = await bench.json<Detached>([
      "run",
      "say hello",
      "--agent",
      "demo",
      "--detach",
    ]);
    assert.equal(supervisor.state, "started");
    await bench.reaches(run, "completed");
    await ends(supervisor.pid);
    assert.match(
      readFileSync(supervisor.log, "utf8"),
      new RegExp(`took ${run}[^]*released ${run}: completed[^]*no work`),
    );
    const next = await bench.json<Detached>(["run", "again", ...agent("quick"), "--detach"]);
    assert.notEqual(next.supervisor.pid, supervisor.pid);
    await bench.reaches(next.run, "completed");
  });
});

test("O1 there is one supervisor per host and store: a second one in front says who holds it, a detached one is not started", async () => {
  await withBench(60_000, async (bench) => {
    const first = await bench.json<Detached>(["up", "--detach"]);
    assert.equal(first.supervisor.state, "started");
    const second = await bench.json<Detached>(["up", "--detach"]);
    assert.deepEqual([second.supervisor.pid, second.supervisor.state], [first.supervisor.pid, "already"]);
    const front = await bench.call(["up"]);
    assert.equal(front.code, 5);
    assert.match(front.stderr, new RegExp(`pid ${String(first.supervisor.pid)} on .*, since 20`));
    const quiet = await bench.call(["up", "--in-background"]);
    assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
    assert.equal(isAlive(first.supervisor.pid), true);
    const started = await Promise.all(
      ["a", "b", "c"].map((id) =>
        bench.json<Detached>(["run", "g", "--id", id, ...agent("quick"), "--detach"]),
      ),
    );
    for (const { run, supervisor } of started) {
      assert.equal(supervisor.pid, first.supervisor.pid);
      await bench.reaches(run, "completed");
    }
    assert.deepEqual(await bench.json(["down"]), { state: "ended", pid: first.supervisor.pid });
    assert.equal(isAlive(first.supervisor.pid), false);
    assert.deepEqual(await bench.json(["down"]), { state: "not_running", pid: null });
  });
});

test("O1 several commands that start a supervisor at the same time start one that stays", async () => {
  await withBench(60_000, async (bench) => {
    const started = await Promise.all(
      ["a", "b", "c", "d"].map((id) =>
        bench.json<Detached>(["run", "g", "--id", id, ...agent("quick"), "--detach"]),
      ),
    );
    assert.equal(new Set(started.map(({ supervisor }) => supervisor.pid)).size, 1);
    for (const { run } of started) await bench.reaches(run, "completed");
  });
});

test("O1 G2 up adopts the run of a supervisor that was killed, and the session that outlived it", async () => {
  await withBench(60_000, async (bench) => {
    const acts = [
      { do: "say", text: "part 1" },
      { do: "sleep", ms: 4_000 },
      { do: "claim", ok: true, text: "part 2" },
    ];
    bench.write("slow.json", JSON.stringify({ attempts: [acts] }));
    const { run, supervisor } = await bench.json<Detached>([
      "run",
      "slowly",
      "--agent",
      "demo:./slow.json",
      "--detach",
    ]);
    await bench.receives(run, "part 1");
    process.kill(supervisor.pid, "SIGKILL");
    await ends(supervisor.pid);
    const up = bench.start(["up"]);
    await up.prints(`took ${run} from an owner that is gone`);
    await bench.reaches(run, "completed");
    up.child.kill("SIGINT");
    assert.equal((await up.ended).code, 130);
    const { stdout } = await bench.call(["events", run, "--type", "AttemptStarted", "--json"]);
    assert.equal(stdout.trimEnd().split("\n").length, 1, "the session went on: there was no second attempt");
  });
});

test("G2 down leaves runs to the next supervisor; with --stop-agents their sessions are ended and begun again", async () => {
  await withBench(60_000, async (bench) => {
    const { run } = await bench.json<Detached>(["run", "g", ...agent("waitsOnce"), "--detach"]);
    await bench.receives(run, "waiting");
    const down = await bench.json<{ state: string }>(["down", "--stop-agents"]);
    assert.equal(down.state, "ended");
    const status = await bench.json<{ status: string; stop: string }>(["status", run]);
    assert.deepEqual([status.status, status.stop], ["paused", "shutdown"]);
    await bench.json(["up", "--detach"]);
    await bench.reaches(run, "completed");
  });
});

test("G2 a request to a run that nobody owns is decided by the command itself, and starts work where work follows", async () => {
  await withBench(60_000, async (bench) => {
    const { code } = await bench.call(["run", "g", "--id", "r", ...agent("fails")]);
    assert.equal(code, 3);
    const cancelled = await bench.json<{ outcome: string; supervisor: unknown }>(["cancel", "r"]);
    assert.deepEqual([cancelled.outcome, cancelled.supervisor], ["done", null]);
    assert.equal((await bench.json<{ status: string }>(["status", "r"])).status, "cancelled");
    const refused = await bench.json<{
      error: { code: string; message: string; details: { allowedIn: string[] } };
    }>(["pause", "r"], 5);
    assert.equal(refused.error.code, "refused");
    assert.match(
      refused.error.message,
      /the run is cancelled; it is allowed when the run is queued, running/,
    );
    assert.ok(refused.error.details.allowedIn.includes("running"));
    assert.equal((await bench.json<{ outcome: string }>(["reopen", "r"])).outcome, "done");
    const retried = await bench.json<Detached & { outcome: string }>(["retry", "r", "--step", "work"]);
    assert.deepEqual([retried.outcome, retried.supervisor.state], ["done", "started"]);
    await bench.reaches("r", "blocked");
  });
});

test("O1 a request to a run in front is answered by it, and starts no other supervisor", async () => {
  await withBench(60_000, async (bench) => {
    const front = bench.start(["run", "g", "--id", "r", ...agent("waits")]);
    await front.prints("waiting");
    const paused = await bench.json<{ outcome: string; supervisor: unknown }>(["pause", "r"]);
    assert.deepEqual([paused.outcome, paused.supervisor], ["done", null]);
    const { code, stdout } = await front.ended;
    assert.equal(code, 3);
    assert.match(stdout, /r is paused/);
    assert.deepEqual(await bench.json(["down"]), { state: "not_running", pid: null });
  });
});

test("O1 a request that its owner does not answer in time is queued, with exit 0, and answered later", async () => {
  await withBench(60_000, async (bench) => {
    bench.write("holdfast.yaml", "requests: { answerWaitMs: 300 }\n");
    const front = bench.start(["run", "g", "--id", "r", ...agent("waits")]);
    await front.prints("waiting");
    front.child.kill("SIGSTOP");
    const queued = await bench.json<{ outcome: string; requestId: string }>(["pause", "r"]);
    assert.equal(queued.outcome, "queued");
    front.child.kill("SIGCONT");
    assert.equal((await front.ended).code, 3);
    const answered = await bench.call(["events", "r", "--type", "RequestAnswered", "--json"]);
    assert.match(answered.stdout, new RegExp(queued.requestId));
  });
});

test("P4 a supervisor that cannot start is reported with the end of its log", async () => {
  await withBench(60_000, async (bench) => {
    assert.equal((await bench.call(["run", "g", ...agent("quick")])).code, 0);
    const broken = { NODE_OPTIONS: `--import=${path.join(bench.cwd, "breaks.mjs")}` };
    bench.write(
      "breaks.mjs",
      `if (process.argv.includes("--in-background")) { console.error("no luck today"); process.exit(9); }`,
    );
    const { code, stderr } = await bench.call(["up", "--detach"], { env: broken });
    assert.equal(code, 1);
    assert.match(stderr, /ended with exit code 9[^]*no luck today/);
  });
});
